import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import express from 'express';
import request from 'supertest';
import { officePaths } from '#server/office/paths.ts';
import { signIn, startTestOffice } from '#server/testing/test-office.ts';
import { startOwnPage } from '#server/testing/test-own-page.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { CALENDAR_PATH } from '#shared/content/schedule.ts';
import { sitePages } from '#shared/content/site-pages.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { OFFER_PATH, WAITING_PATH } from '#shared/waiting.ts';
import { SECURITY_TXT_PATH } from './fixed-routes.ts';

const SECONDS = 'public, max-age=0, s-maxage=10, stale-while-revalidate=10, stale-if-error=3600';
const HOUR = 'public, max-age=3600';
const EVER = 'public, max-age=31536000, immutable';
const NOBODY = 'no-store';

const { privacy, accessibility, legal } = sitePages;

/** All paths that caches may keep, besides files. Add a new one here. */
const KEPT: Readonly<Record<string, string>> = {
  '/': SECONDS,
  ...Object.fromEntries(
    editions.flatMap(({ facts, agreed }) => agreed.map((terms) => [termsPathOf(facts, terms), SECONDS])),
  ),
  ...Object.fromEntries([privacy, accessibility, legal].map(({ path }) => [path, SECONDS])),
  '/terms': SECONDS,
  '/robots.txt': HOUR,
  '/sitemap.xml': HOUR,
  [SECURITY_TXT_PATH]: HOUR,
  [CALENDAR_PATH]: HOUR,
};

/** The build hashes the names of all files that it makes, except the licence notices beside them. */
const isHashed = (path: string): boolean => path.startsWith('/static/') && !path.endsWith('.LEGAL.txt');

const TOKEN = 'v1.token';

/** Records the path of every route that is added from now on, in whichever application or router. */
function noteRoutes(t: TestContext): ReadonlySet<string> {
  const noted = new Set<string>();
  const { prototype } = express.Router;
  const add = prototype.route;
  t.mock.method(prototype, 'route', function (this: unknown, path: string | readonly string[]) {
    for (const one of [path].flat()) noted.add(String(one).replaceAll(/\{?[:*]\w+\}?/g, TOKEN));
    return Reflect.apply(add, this, [path]);
  });
  return noted;
}

async function policyOf(app: RequestListener, path: string, method: 'get' | 'head' | 'post', headers = {}) {
  const answer = await request(app)
    [method](path)
    .set({ Accept: 'text/html', ...headers });
  return answer.headers['cache-control'];
}

describe('what caches may keep', () => {
  test('of all routes of the site only the listed ones, and only answers to GET and HEAD', async (t) => {
    const routes = noteRoutes(t);
    const { app } = await startTestSite(t, { redisRunning: false });
    for (const known of [
      '/',
      OWN_PAGE_PATH,
      `${OFFER_PATH}/${TOKEN}`,
      `${WAITING_PATH}/${TOKEN}`,
      '/healthz',
      '/readyz',
    ])
      assert.ok(routes.has(known), known);
    assert.ok(routes.size > 30);
    for (const path of Object.keys(KEPT)) assert.ok(routes.has(path), path);
    // What is streamed to the first visitor is not kept: it may turn out to be incomplete.
    assert.equal(await policyOf(app, '/', 'get'), NOBODY);
    for (const path of routes) {
      const policy = KEPT[path] ?? NOBODY;
      assert.equal(await policyOf(app, path, 'get'), policy, path);
      assert.equal(await policyOf(app, path, 'head'), policy, path);
      assert.equal(await policyOf(app, path, 'post'), NOBODY, path);
    }
  });

  test('of all routes of the ops listener only the icon, signed in or not', async (t) => {
    const routes = noteRoutes(t);
    const { office } = await startTestOffice(t);
    assert.ok(routes.has('/office'));
    assert.ok(routes.size > 15);
    const { cookie } = await signIn(office, 'support');
    // The site's icon, under an address that the proxy publishes.
    const kept = (path: string, method: string) =>
      path === officePaths.icon && method === 'get' ? HOUR : NOBODY;
    for (const path of [...routes, '/metrics', '/nothing'])
      for (const headers of [{}, { Cookie: cookie }])
        for (const method of ['get', 'post'] as const)
          assert.equal(await policyOf(office, path, method, headers), kept(path, method), path);
  });

  test('files under a hashed name for a year, others for an hour; no answer about a missing file', async (t) => {
    const { app, assets } = await startTestSite(t, { redisRunning: false });
    const paths = Object.keys(assets.files);
    assert.ok(paths.length > 20);
    for (const path of paths)
      assert.equal(await policyOf(app, path, 'head'), isHashed(path) ? EVER : HOUR, path);
    for (const path of [`${assets.script}x`, '/static/js/gone-ABCDEFGH.js', '/favicon.png', '/nothing'])
      assert.equal(await policyOf(app, path, 'get'), NOBODY, path);
  });

  test('nothing of a registrant’s page, whatever address is requested', async (t) => {
    const { app, enter } = await startOwnPage(t);
    const Cookie = await enter();
    for (const path of [
      OWN_PAGE_PATH,
      `${OWN_PAGE_PATH}/`,
      '/PLACE',
      `${OWN_PAGE_PATH}/details`,
      `${OWN_PAGE_PATH}?x.css`,
      `${OWN_PAGE_PATH}/x.css`,
      `${OWN_PAGE_PATH}%2fx.css`,
      '/;/place',
      '/static/../place',
      '/place%00.css',
      '/place/details/x.js',
      '/robots.txt/../place',
    ]) {
      const { headers, text } = await request(app).get(path).set({ Cookie, Accept: 'text/html' });
      assert.equal(headers['cache-control'], NOBODY, `${path}: ${text.slice(0, 40)}`);
    }
  });
});
