import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { changeRow, createLinks, linksEndAt, registrationIdOf } from '#server/registration/registration.ts';
import { startOwnPage } from '#server/testing/test-own-page.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The status of the answer to a link or cookie that opens nothing. */
const SHUT = 403;

describe('the link in a letter', () => {
  test('opens her page with a cookie that scripts cannot read; neither is cached, indexed or sent as referrer', async (t) => {
    const { app, tokenWith, see } = await startOwnPage(t);
    const entered = await request(app).get(`${ownPagePaths.enter}${tokenWith()}`).expect(303);
    const [cookie = ''] = entered.headers['set-cookie'] ?? [];
    const [pair = '', ...attributes] = cookie.split('; ');
    await see(pair, entered.headers.location).expect(303).expect('Location', OWN_PAGE_PATH);
    const blocked = await request(app).get(String(entered.headers.location)).expect(403);
    assert.match(blocked.text, /a cookie, which your browser did not keep\. Please allow cookies/);
    assert.match(pair, /^place=v1\.reg_[\da-f]{24}\.0\.session-[\da-f]{16}\.\d+\.[\w-]{43}$/);
    assert.deepEqual(
      attributes.filter((one) => !one.startsWith('Expires=')),
      ['Max-Age=2592000', 'Path=/', 'HttpOnly', 'SameSite=Lax'],
    );
    const page = await see(pair).expect(200);
    for (const { headers } of [entered, page]) {
      const { 'cache-control': cache, 'x-robots-tag': robots, 'referrer-policy': referrer } = headers;
      assert.deepEqual([cache, robots, referrer], ['no-store', 'noindex', 'no-referrer']);
      assert.ok(headers['content-security-policy']);
    }
    assert.doesNotMatch(page.text, /fbq|connect\.facebook/);
  });

  test('sets, under https, a cookie that is bound to its host, and secure', async (t) => {
    const env = { PUBLIC_URL: 'https://retreat.example' };
    const { app, tokenWith, see } = await startOwnPage(t, { env });
    const { headers } = await request(app).get(`${ownPagePaths.enter}${tokenWith()}`).expect(303);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    const [pair = '', ...attributes] = cookie.split('; ');
    assert.match(pair, /^__Host-place=v1\./);
    for (const one of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
      assert.ok(attributes.includes(one), one);
    assert.ok(!attributes.some((one) => one.startsWith('Domain=')));
    await see(pair).expect(200);
  });

  test('starts a session that never outlives the link', async (t) => {
    const { clock, app, tokenWith } = await startOwnPage(t);
    clock.now = new Date(linksEndAt(edition.facts).getTime() - DAY_MS);
    const { headers } = await request(app).get(`${ownPagePaths.enter}${tokenWith()}`).expect(303);
    assert.match(String(headers['set-cookie']), /Max-Age=86400;/);
    clock.now = linksEndAt(edition.facts);
    await request(app).get(`${ownPagePaths.enter}${tokenWith()}`).expect(SHUT);
  });
});

describe('a link or cookie that opens nothing', () => {
  test('gets the same answer whatever is wrong with it, without a request to Stripe', async (t) => {
    const { app, tokenWith, clock, calls, registration } = await startOwnPage(t);
    const foreign = createLinks(['a-secret-of-another-site-of-32-characters'], 'http://127.0.0.1:3000');
    const expiresAt = linksEndAt(edition.facts);
    const token = tokenWith();
    const wrong = [
      tokenWith({ expiresAt: new Date(clock.now.getTime() - 1) }),
      tokenWith({ scope: 'session' }),
      foreign.format({ subject: registration, scope: 'place', expiresAt }),
      token.replace('.0.place.', '.1.place.'),
      'x',
    ];
    const pages = new Set<string>();
    for (const one of wrong) {
      const { text, headers } = await request(app).get(`${ownPagePaths.enter}${one}`).expect(SHUT);
      pages.add(text);
      assert.equal(headers['set-cookie'], undefined);
      assert.equal(headers['cache-control'], 'no-store');
    }
    assert.equal(pages.size, 1);
    assert.match([...pages].join(), new RegExp(`action="${ownPagePaths.link}"`));
    assert.deepEqual(calls, []);
  });

  test('without a cookie the page explains how to get a link, without a request to Stripe', async (t) => {
    const { app, calls } = await startOwnPage(t);
    for (const path of [OWN_PAGE_PATH, ownPagePaths.receipts, ownPagePaths.calendar]) {
      const { text } = await request(app).get(path).expect(200);
      assert.match(text, new RegExp(`action="${ownPagePaths.link}"`));
    }
    await request(app).get(OWN_PAGE_PATH).set('Cookie', 'other=1; placebo=2').expect(200);
    assert.deepEqual(calls, []);
  });

  test('a registration that is not paid, or whose data were removed, has no page', async (t) => {
    const { app, see, enter, tokenWith, database, registration, clock } = await startOwnPage(t);
    const key = 'b'.repeat(32);
    await submitContact(app, { email: 'fred@example.org' }, key).expect(200);
    for (const subject of [registrationIdOf(key), 'reg_unknown'])
      await see(await enter(tokenWith({ subject }))).expect(SHUT);
    await see(await enter()).expect(200);
    await database.write((transaction) => changeRow(transaction, registration, { forgottenAt: clock.now }));
    await see(await enter()).expect(SHUT);
  });
});

test('opening every link, by HEAD or GET, changes nothing', async (t) => {
  const { app, tokenWith, enter, calls, mailQueue } = await startOwnPage(t);
  const cookie = await enter();
  const before = await mailQueue.bullQueue.getJobCounts();
  const paths = [
    ...Object.values({ ...ownPagePaths, ...formPaths }),
    OWN_PAGE_PATH,
    `${ownPagePaths.enter}${tokenWith()}`,
  ];
  for (const path of paths)
    for (const method of ['get', 'head'] as const) await request(app)[method](path).set('Cookie', cookie);
  assert.deepEqual(
    calls.filter((call) => !call.startsWith('GET ')),
    [],
  );
  assert.deepEqual(await mailQueue.bullQueue.getJobCounts(), before);
});

test('a session has sixty reads in ten minutes, and uses up none of another one; all together have a bound, and none asks Stripe', async (t) => {
  const { enter, see, calls, clock } = await startOwnPage(t);
  const cookie = await enter();
  for (let time = 1; time <= 60; time += 1) await see(cookie).expect(200);
  const { text, headers } = await see(cookie).expect(429);
  assert.match(text, /This page was opened very often\. Please wait ten minutes/);
  assert.equal(headers['retry-after'], '600');
  for (let session = 2; session <= 3; session += 1) {
    clock.now = new Date(clock.now.getTime() + 1_000);
    const other = await enter();
    for (let time = 1; time <= 60; time += 1) await see(other, ownPagePaths.calendar).expect(200);
  }
  clock.now = new Date(clock.now.getTime() + 1_000);
  await see(await enter(), ownPagePaths.receipts).expect(429);
  assert.deepEqual(calls, []);
});

test('no log contains a token, whatever the answer is', async (t) => {
  const { app, tokenWith, enter, see, log, metrics, clientSecret, press } = await startOwnPage(t);
  const [good, bad] = [tokenWith(), `${tokenWith()}x`];
  for (const prefix of ['/place/', '/PLACE/', '/Place/'])
    for (const token of [good, bad])
      for (const rest of ['', '/', '?a=1', '/more'])
        for (const method of ['get', 'head', 'post'] as const)
          await request(app)[method](`${prefix}${token}${rest}`);
  const cookie = await enter();
  await see(cookie).expect(200);
  await press(cookie, ownPagePaths.open, { paymentIntentClientSecret: clientSecret }).expect(303);
  await log.until('"path":"/place/:token"', 10);
  await log.until(`"path":"${ownPagePaths.open}"`);
  assert.doesNotMatch(log.text(), /v1\.reg_|_secret_|place=/);
  const counted = await metrics.metrics();
  assert.match(counted, /http_request_duration_seconds_count\{route="place",status="303"\}/);
  assert.doesNotMatch(counted, /v1\.reg_/);
});
