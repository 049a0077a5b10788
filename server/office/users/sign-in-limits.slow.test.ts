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

const HERE = '192.0.2.1';
/** Each in a network of its own. */
const elsewhere = (time: number): string => `198.51.${time}.1`;

/** How many answers have which status. */
function counted(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function start(t: TestContext, { redisRunning = true } = {}) {
  const site = await startTestOffice(t, { redisRunning, env: { TRUST_PROXY: '1' } });
  const from = (address: string, name: string, password = 'guess', office = site.office) =>
    trySignIn(office, name, { password }).set('X-Forwarded-For', address);
  const guess = async (times: number, name: string, addressOf: (time: number) => string) => {
    const answers = [];
    for (let time = 0; time < times; time += 1) answers.push(await from(addressOf(time), name));
    return counted(answers);
  };
  return { ...site, from, guess };
}

describe('guessing passwords of users', () => {
  for (const redisRunning of [true, false])
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

  for (const name of ['office', 'nobody'])
    test(`many networks cannot guess the password of one user (${name})`, async (t) => {
      const { from, guess } = await start(t);
      assert.deepEqual(await guess(25, name, elsewhere), { 401: 20, 429: 5 });
      await from(elsewhere(30), `${name} `.toUpperCase(), name).expect(429);
      await from(elsewhere(30), 'support', 'support').expect(303);
    });

  test('many addresses cannot lock out a user in a browser where she has signed in before', async (t) => {
    const { from, guess } = await start(t);
    const first = await from(HERE, 'office', 'office').expect(303);
    assert.match(setCookiesOf(first)[0] ?? '', /^office-browser=v1\.office\..*Max-Age=15552000;/);
    const known = cookiesOf(first);
    const here = (name: string, password?: string, cookie = known) =>
      from(HERE, name, password).set('Cookie', cookie);
    assert.deepEqual(await guess(25, 'office', elsewhere), { 401: 20, 429: 5 });
    assert.deepEqual(await guess(11, 'nobody', () => HERE), { 401: 10, 429: 1 });
    await from(HERE, 'office', 'office').expect(429);
    await here('office', 'office').expect(303);
    // The browser is known for this user only, and has its own tries.
    await here('support', 'support').expect(429);
    await here('support', 'support', known.replace('.office.', '.support.')).expect(429);
    for (let time = 0; time < 10; time += 1) await here('office').expect(401);
    await here('office', 'office').expect(429);
  });

  test('simultaneous guesses are all counted, by all replicas together, and in the metrics', async (t) => {
    const site = await start(t);
    const offices = [site.office, openTestOffice(site)];
    const tries = Array.from({ length: 30 }, (_, time) =>
      site.from(HERE, 'office', 'guess', offices[time % 2]),
    );
    assert.equal(counted(await Promise.all(tries))[429], 20);
    await site.from(elsewhere(0), 'office', 'office').expect(303);
    const { text } = await request(site.office).get('/metrics').expect(200);
    assert.match(text, /^office_sign_ins_total\{outcome="signed-in",service="app"\} 1$/m);
    assert.match(text, /^office_sign_ins_total\{outcome="throttled",service="app"\} [1-9]/m);
  });

  test('all unknown browsers together have thirty tries a minute', async (t) => {
    const { from } = await start(t);
    const tries = Array.from({ length: 40 }, (_, time) => from(elsewhere(time), `user${time}`));
    assert.equal(counted(await Promise.all(tries))[429], 10);
  });
});
