import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Express } from 'express';
import { TOTP } from 'otpauth';
import request from 'supertest';
import type { Point } from '#server/http/limiter.ts';
import {
  cookiesOf,
  openTestOffice,
  setCookiesOf,
  signIn,
  startTestOffice,
} from '#server/testing/test-office.ts';
import { acceptCode, createPasswordCheck, newCodeSecret } from './credentials.ts';

test('passwords are compared one at a time, those from known browsers first', async () => {
  const isRight = createPasswordCheck({ cost: 1024, blockSize: 8, parallel: 1 });
  const compared: string[] = [];
  const compare = async (who: string, first: boolean): Promise<void> => {
    await isRight('guess', undefined, { first });
    compared.push(who);
  };
  await Promise.all([
    compare('stranger 1', false),
    compare('stranger 2', false),
    compare('stranger 3', false),
    compare('known 1', true),
    compare('known 2', true),
  ]);
  assert.deepEqual(compared, ['stranger 1', 'known 1', 'known 2', 'stranger 2', 'stranger 3']);
});

test('of two codes that are sent at the same time, the earlier is refused', async () => {
  const noted = new Set<string>();
  const takeOnce = async ([, name]: Point) => noted.size < noted.add(name).size;
  const now = new Date();
  const password = { cost: 1024, blockSize: 8, parallel: 1, salt: '', hash: '' };
  const user = { name: 'office', role: 'office', password, totp: newCodeSecret() } as const;
  const accept = (afterMs: number) =>
    acceptCode(
      { takeOnce },
      user,
      new TOTP({ secret: user.totp }).generate({ timestamp: now.getTime() + afterMs }),
      now,
    );
  assert.deepEqual(await Promise.all([accept(30_000), accept(0)]), [true, false]);
});

const MINUTE_MS = 60_000;
const PAGE = '/office/nothing';

/** An office whose sessions use a clock that the test moves. */
async function startMoved(t: TestContext) {
  let nowMs = Date.UTC(2027, 2, 8, 12);
  const time = () => new Date(nowMs);
  const site = await startTestOffice(t, { time });
  return {
    site,
    time,
    pass: (minutes: number) => {
      nowMs += minutes * MINUTE_MS;
    },
  };
}

/** Opens a page; returns whether the session continues, and with which cookie. */
async function visit(office: Express, cookie: string) {
  const answer = await request(office).get(PAGE).set('Cookie', cookie);
  const written = setCookiesOf(answer).length > 0 ? cookiesOf(answer) : undefined;
  return { goesOn: answer.status === 404, written };
}

describe('a session', () => {
  test('ends when it was idle for two hours, and is renewed by use', async (t) => {
    const { site, pass } = await startMoved(t);
    const { cookie } = await signIn(site.office, 'office');
    assert.deepEqual(await visit(site.office, cookie), { goesOn: true, written: undefined });
    pass(119);
    const { goesOn, written = '' } = await visit(site.office, cookie);
    assert.ok(goesOn);
    pass(2);
    assert.equal((await visit(site.office, cookie)).goesOn, false);
    assert.equal((await visit(site.office, written)).goesOn, true);
    pass(118);
    assert.equal((await visit(site.office, written)).goesOn, false);
  });

  test('ends twelve hours after it began, however much it is used; its forms stay valid until then', async (t) => {
    const { site, pass } = await startMoved(t);
    const { cookie, token } = await signIn(site.office, 'office');
    let last = cookie;
    for (let hour = 1; hour < 12; hour += 1) {
      pass(60);
      last = (await visit(site.office, last)).written ?? last;
    }
    pass(59);
    const answer = await request(site.office).get(PAGE).set('Cookie', last).expect(404);
    assert.match(answer.text, new RegExp(`name="token" value="${token}"`));
    assert.match(setCookiesOf(answer)[0] ?? '', /Max-Age=60;/);
    last = cookiesOf(answer);
    pass(1);
    assert.equal((await visit(site.office, last)).goesOn, false);
  });

  test('ends with the sign-out for copies of its cookie too, on every replica', async (t) => {
    const { site, time } = await startMoved(t);
    const other = openTestOffice(site, { time });
    const { cookie, press } = await signIn(site.office, 'office');
    const still = await signIn(site.office, 'office');
    assert.equal((await visit(other, cookie)).goesOn, true);
    const answer = await press('/office/sign-out').expect(303).expect('Location', '/office/sign-in');
    assert.match(setCookiesOf(answer)[0] ?? '', /^office=; .*Expires=Thu, 01 Jan 1970/);
    for (const office of [site.office, other]) {
      assert.equal((await visit(office, cookie)).goesOn, false);
      assert.equal((await visit(office, still.cookie)).goesOn, true);
    }
  });

  test('ends when the user’s password, role or secret changes, or the user is removed', async (t) => {
    const { site, time } = await startMoved(t);
    const { cookie } = await signIn(site.office, 'office');
    const [office, support] = site.config.users;
    assert.ok(office && support);
    const withUsers = (...users: (typeof office)[]) =>
      openTestOffice({ ...site, config: { ...site.config, users } }, { time });
    assert.equal((await visit(withUsers(office), cookie)).goesOn, true);
    for (const changed of [
      { ...office, role: 'support' as const },
      { ...office, totp: 'A2'.repeat(16) },
      { ...office, password: { ...office.password, hash: support.password.hash } },
    ])
      assert.equal((await visit(withUsers(changed, support), cookie)).goesOn, false);
    assert.equal((await visit(withUsers(support), cookie)).goesOn, false);
  });

  test('survives a rotation of the secret, and ends when the old secret is removed', async (t) => {
    const { site, time } = await startMoved(t);
    const { cookie, token } = await signIn(site.office, 'office');
    const [old = ''] = site.config.linkSecrets;
    const fresh = 'a fresh secret that replaces the old one';
    const withSecrets = (...linkSecrets: string[]) =>
      openTestOffice({ ...site, config: { ...site.config, linkSecrets } }, { time });
    const gone = await signIn(site.office, 'office');
    await gone.press('/office/sign-out').expect(303);
    const rotated = withSecrets(fresh, old);
    assert.equal((await visit(rotated, gone.cookie)).goesOn, false, 'it was ended before');
    assert.equal((await visit(rotated, cookie)).goesOn, true);
    await request(rotated)
      .post('/office/sign-out')
      .set({ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })
      .type('form')
      .send({ token })
      .expect(303);
    const next = await signIn(rotated, 'support');
    assert.equal((await visit(withSecrets(fresh), next.cookie)).goesOn, true);
    assert.equal((await visit(withSecrets(fresh), cookie)).goesOn, false);
  });
});
