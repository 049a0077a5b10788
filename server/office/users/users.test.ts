import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { TOTP } from 'otpauth';
import request from 'supertest';
import {
  cookiesOf,
  openTestOffice,
  SAME_ORIGIN,
  setCookiesOf,
  signIn,
  startTestOffice,
} from '#server/testing/test-office.ts';
import type { Point } from '#server/web/limiter.ts';
import { acceptCode, createPasswordCheck, newCodeSecret } from './credentials.ts';

const WEAK = { cost: 1024, blockSize: 8, parallel: 1 };

test('passwords are compared one at a time, those from known browsers first', async () => {
  const isRight = createPasswordCheck(WEAK);
  const compared: string[] = [];
  const compare = async (who: string): Promise<void> => {
    await isRight('guess', undefined, { first: who.startsWith('known') });
    compared.push(who);
  };
  await Promise.all(['stranger 1', 'stranger 2', 'stranger 3', 'known 1', 'known 2'].map(compare));
  assert.deepEqual(compared, ['stranger 1', 'known 1', 'known 2', 'stranger 2', 'stranger 3']);
});

test('of two codes that are sent at the same time, the earlier is refused', async () => {
  const noted = new Set<string>();
  const takeOnce = async ([, name]: Point) => noted.size < noted.add(name).size;
  const now = new Date();
  const password = { ...WEAK, salt: '', hash: '' };
  const user = { name: 'office', role: 'office', password, totp: newCodeSecret() } as const;
  const accept = (afterMs: number) => {
    const code = new TOTP({ secret: user.totp }).generate({ timestamp: now.getTime() + afterMs });
    return acceptCode({ takeOnce }, user, code, now);
  };
  assert.deepEqual(await Promise.all([accept(30_000), accept(0)]), [true, false]);
});

describe('a session', () => {
  /** Somebody who is signed in to an office whose sessions use a clock that the test moves. */
  async function start(t: TestContext, redisRunning = true) {
    let nowMs = Date.UTC(2027, 2, 8, 12);
    const time = () => new Date(nowMs);
    const site = await startTestOffice(t, { time, redisRunning });
    const visit = async (cookie: string, office = site.office) => {
      const answer = await request(office).get('/office/nothing').set('Cookie', cookie);
      const [line = ''] = setCookiesOf(answer);
      return { goesOn: answer.status === 404, text: answer.text, line, written: cookiesOf(answer) };
    };
    return {
      ...(await signIn(site.office, 'office')),
      site,
      visit,
      goesOn: async (cookie: string, office = site.office) => (await visit(cookie, office)).goesOn,
      /** Another process of the app, with this in its configuration. */
      withConfig: (changes: Partial<typeof site.config>) =>
        openTestOffice({ ...site, config: { ...site.config, ...changes } }, { time }),
      pass: (minutes: number) => {
        nowMs += minutes * 60_000;
      },
    };
  }

  test('ends when it was idle for two hours, and is renewed by use', async (t) => {
    const { cookie, visit, goesOn, pass } = await start(t);
    assert.equal((await visit(cookie)).line, '');
    pass(119);
    const { written } = await visit(cookie);
    pass(2);
    assert.deepEqual([await goesOn(cookie), await goesOn(written)], [false, true]);
    pass(118);
    assert.equal(await goesOn(written), false);
  });

  test('ends twelve hours after it began, however much it is used; its forms stay valid until then', async (t) => {
    const { cookie, token, visit, goesOn, pass } = await start(t);
    let last = cookie;
    for (let hour = 1; hour < 12; hour += 1) {
      pass(60);
      last = (await visit(last)).written;
    }
    pass(59);
    const { text, line, written } = await visit(last);
    assert.match(text, new RegExp(`name="token" value="${token}"`));
    assert.match(line, /Max-Age=60;/);
    pass(1);
    assert.equal(await goesOn(written), false);
  });

  for (const redisRunning of [true, false])
    test(`ends with the sign-out for copies of its cookie too, ${redisRunning ? 'on every replica' : 'while Redis is away'}`, async (t) => {
      const { site, cookie, press, goesOn, withConfig } = await start(t, redisRunning);
      const still = await signIn(site.office, 'support');
      const offices = redisRunning ? [site.office, withConfig({})] : [site.office];
      for (const office of offices) assert.equal(await goesOn(cookie, office), true);
      const answer = await press('/office/sign-out').expect(303).expect('Location', '/office/sign-in');
      assert.match(setCookiesOf(answer)[0] ?? '', /^office=; .*Expires=Thu, 01 Jan 1970/);
      for (const office of offices)
        assert.deepEqual([await goesOn(cookie, office), await goesOn(still.cookie, office)], [false, true]);
      await still.get('/office/status').expect(200);
    });

  test('ends when the user’s password, role or secret changes, or the user is removed', async (t) => {
    const { site, cookie, goesOn, withConfig } = await start(t);
    const [office, support] = site.config.users;
    assert.ok(office && support);
    assert.equal(await goesOn(cookie, withConfig({ users: [office] })), true);
    for (const changed of [
      { ...office, role: 'support' as const },
      { ...office, totp: 'A2'.repeat(16) },
      { ...office, password: { ...office.password, hash: support.password.hash } },
      support,
    ])
      assert.equal(await goesOn(cookie, withConfig({ users: [changed] })), false);
  });

  test('survives a rotation of the secret, and ends when the old secret is removed', async (t) => {
    const { site, cookie, token, goesOn, withConfig } = await start(t);
    const fresh = 'a fresh secret that replaces the old one';
    const rotated = withConfig({ linkSecrets: [fresh, ...site.config.linkSecrets] });
    const gone = await signIn(site.office, 'office');
    await gone.press('/office/sign-out').expect(303);
    assert.equal(await goesOn(gone.cookie, rotated), false, 'it was ended before');
    const another = await signIn(site.office, 'office');
    const form = request(rotated).post('/office/sign-out').set(SAME_ORIGIN).set('Cookie', cookie);
    await form.type('form').send({ token }).expect(303);
    const next = await signIn(rotated, 'support');
    const later = withConfig({ linkSecrets: [fresh] });
    const both = [rotated, later].map((office) => goesOn(another.cookie, office));
    assert.deepEqual(await Promise.all(both), [true, false]);
    assert.equal(await goesOn(next.cookie, later), true);
  });
});
