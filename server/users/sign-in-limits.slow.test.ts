import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import {
  cookiesOf,
  openTestOffice,
  setCookiesOf,
  startTestOffice,
  trySignIn,
} from '#server/testing/test-office.ts';

async function start(t: TestContext, { redisRunning = true, env = {} } = {}) {
  const site = await startTestOffice(t, { redisRunning, env: { TRUST_PROXY: '1', ...env } });
  const from = (address: string, name: string, password = 'guess') =>
    trySignIn(site.office, name, { password }).set('X-Forwarded-For', address);
  /** The statuses of this many tries. */
  const guess = async (times: number, name: string, addressOf: (time: number) => string) => {
    const statuses = new Map<number, number>();
    for (let time = 0; time < times; time += 1) {
      const { status } = await from(addressOf(time), name);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    return Object.fromEntries(statuses);
  };
  return { ...site, from, guess };
}

const HERE = '192.0.2.1';
/** Each in a network of its own. */
const elsewhere = (time: number): string => `198.51.${time}.1`;

describe('guessing passwords of users', () => {
  for (const redisRunning of [true, false]) {
    test(`after ten wrong ones a network must wait, while Redis is ${redisRunning ? 'there' : 'away'}`, async (t) => {
      const { from, guess, log } = await start(t, { redisRunning });
      assert.deepEqual(await guess(13, 'nobody', (time) => `192.0.2.${time}`), { 401: 10, 429: 3 });
      const { headers, text } = await from(HERE, 'office', 'office').expect(429);
      const retryAfterS = Number(headers['retry-after']);
      assert.ok(retryAfterS > 240 && retryAfterS <= 300, `Retry-After is ${retryAfterS}`);
      assert.match(text, /There were too many tries to sign in\. Please wait 5 minutes, then try again\./);
      await from(elsewhere(0), 'office', 'office').expect(303);
      assert.match(log.text(), /Too many tries to sign in: this one has to wait/);
      assert.doesNotMatch(log.text(), /nobody|192\.0\.2\.|198\.51/);
    });
  }

  test('the addresses that a provider gives to one site (IPv6) are a network', async (t) => {
    const { guess } = await start(t);
    assert.deepEqual(await guess(12, 'nobody', (time) => `2001:db8:7:${time}00::1`), { 401: 10, 429: 2 });
  });

  for (const name of ['office', 'nobody']) {
    test(`many networks cannot guess the password of one user (${name})`, async (t) => {
      const { from, guess } = await start(t);
      assert.deepEqual(await guess(25, name, elsewhere), { 401: 20, 429: 5 });
      await from(elsewhere(30), `${name} `.toUpperCase(), name).expect(429);
      await from(elsewhere(30), 'support', 'support').expect(303);
    });
  }

  test('many addresses cannot lock out a user in a browser where she has signed in before', async (t) => {
    const { from, guess, office } = await start(t);
    const known = cookiesOf(await from(HERE, 'office', 'office').expect(303));
    assert.deepEqual(await guess(25, 'office', elsewhere), { 401: 20, 429: 5 });
    assert.deepEqual(await guess(11, 'nobody', () => HERE), { 401: 10, 429: 1 });
    await from(HERE, 'office', 'office').expect(429);
    await from(HERE, 'office', 'office').set('Cookie', known).expect(303);
    // The browser is known for this user only, and has its own tries.
    await from(HERE, 'support', 'support').set('Cookie', known).expect(429);
    for (let time = 0; time < 10; time += 1) await from(HERE, 'office').set('Cookie', known).expect(401);
    await from(HERE, 'office', 'office').set('Cookie', known).expect(429);
    const forged = known.replace('.office.', '.support.');
    await from(HERE, 'support', 'support').set('Cookie', forged).expect(429);
    await request(office).get('/office/sign-in').expect(200);
  });

  test('sign-ins with the right password are not counted', async (t) => {
    const { from, guess } = await start(t);
    assert.deepEqual(await guess(9, 'office', () => HERE), { 401: 9 });
    for (let time = 0; time < 12; time += 1) await from(HERE, 'office', 'office').expect(303);
    assert.deepEqual(await guess(2, 'office', () => HERE), { 401: 1, 429: 1 });
  });

  test('simultaneous guesses are all counted, by all replicas together', async (t) => {
    const site = await start(t);
    const other = openTestOffice(site);
    const both = Array.from({ length: 30 }, (_, time) => [site.office, other][time % 2] ?? other);
    const answers = await Promise.all(
      both.map((office) => trySignIn(office, 'office', { password: 'guess' }).set('X-Forwarded-For', HERE)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 20);
  });

  test('all unknown browsers together have thirty tries a minute', async (t) => {
    const { from } = await start(t);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, time) => (await from(elsewhere(time), `user${time}`)).status),
    );
    assert.equal(statuses.filter((status) => status === 429).length, 10);
  });

  test('the outcomes of tries are counted', async (t) => {
    const { from, guess, office } = await start(t);
    await from(HERE, 'office', 'office').expect(303);
    await guess(12, 'office', () => HERE);
    const { text } = await request(office).get('/metrics').expect(200);
    for (const [outcome, count] of [
      ['signed-in', 1],
      ['wrong', 10],
      ['throttled', 2],
    ] as const)
      assert.match(
        text,
        new RegExp(`^office_sign_ins_total\\{outcome="${outcome}",service="app"\\} ${count}$`, 'm'),
      );
  });

  test('a browser stays known for half a year, even if others sign in there in between', async (t) => {
    const { from } = await start(t);
    const lines = setCookiesOf(await from(HERE, 'office', 'office').expect(303));
    assert.match(lines[0] ?? '', /^office-browser=v1\.office\..*Max-Age=15552000;/);
  });
});
