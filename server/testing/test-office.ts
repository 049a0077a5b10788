import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import type { Registry } from 'prom-client';
import request from 'supertest';
import { sampleUserLines } from '#scripts/product/environment.ts';
import { createOffice } from '#server/office/create-office.ts';
import { officePaths } from '#server/office/paths.ts';
import { createOpsApp } from '#server/ops/create-ops-app.ts';
import { createMetrics } from '#server/ops/metrics.ts';
import { dueWorkBy } from '#server/register/due-work-queue.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { type TestSite as Site, type SiteOptions, startTestSite } from './test-site.ts';
import { registerProbe } from './test-status.ts';

interface OfficeChanges {
  /** The clock of the sessions and the sign-in. */
  time?: () => Date;
  metrics?: Registry;
}

/** The ops listener of a site's app, as `start-app` opens it. */
export function openTestOffice(
  t: TestScope,
  site: Site,
  { time, metrics = createMetrics('app') }: OfficeChanges = {},
) {
  const { config, log, connection, mailQueue, payments } = site;
  const probes = {
    redis: mailQueue.isReady,
    stripe: payments.isReachable,
    register: registerProbe.isWritable,
  };
  const options = { probes, metrics, logger: log.logger };
  const askForDueWork = dueWorkBy(connection, log.logger);
  const office = createOffice({ ...site, ...options, redis: connection, registerProbe, askForDueWork, time });
  cleanUp(t, async () => office.close());
  const { ops: credentials, trustProxy } = config;
  return createOpsApp({ ...options, credentials, trustProxy }, office);
}

/** A site and the ops listener of its app, neither of which opens a port. The users are `office` and `support`. */
export async function startTestOffice(t: TestScope, options: SiteOptions & OfficeChanges = {}) {
  const { time, metrics, env, ...siteOptions } = options;
  const site = await startTestSite(t, { ...siteOptions, env: { OPS_USERS: sampleUserLines(), ...env } });
  return { ...site, office: openTestOffice(t, site, { ...(time && { time }), ...(metrics && { metrics }) }) };
}

/** The header that current browsers send with a form of this site. */
export const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

/** Tries to sign in, by default with the password of the sample user. */
export function trySignIn(
  office: RequestListener,
  name: string,
  { password = name, ...more }: { password?: string; code?: string; to?: string } = {},
) {
  const typed = { name, password, ...more };
  return request(office).post(officePaths.signIn).set(SAME_ORIGIN).type('form').send(typed);
}

/** Signs a sample user in, in a browser of her own. */
export async function signIn(office: RequestListener, name: 'office' | 'support') {
  const answer = await trySignIn(office, name).expect(303);
  const cookie = cookiesOf(answer);
  const get = (path: string) => request(office).get(path).set('Cookie', cookie);
  const { text } = await get(`${officePaths.list}/nothing`).expect(404);
  const [, token] = / name="token" value="([^"]+)"/.exec(text) ?? [];
  assert.ok(token);
  return {
    get,
    press: (path: string, fields: Record<string, string> = {}) =>
      request(office)
        .post(path)
        .set({ ...SAME_ORIGIN, Cookie: cookie })
        .type('form')
        .send({ token, ...fields }),
    /** The token that protects her forms against forgery. */
    token,
    cookie,
  };
}

/** The cookies that an answer set, as the browser sends them. */
export function cookiesOf(answer: request.Response): string {
  return setCookiesOf(answer)
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** The `Set-Cookie` lines of an answer. */
export function setCookiesOf(answer: request.Response): string[] {
  return [answer.headers['set-cookie'] ?? []].flat();
}
