import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import request from 'supertest';
import { sampleUserLines } from '#scripts/product/environment.ts';
import { writeMessage } from '#server/office/commands/message-commands.ts';
import {
  cookiesOf,
  openTestOffice,
  SAME_ORIGIN,
  setCookiesOf,
  signIn,
  startTestOffice,
  trySignIn,
} from '#server/testing/test-office.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { officePaths } from './paths.ts';

const PAGE = '/office/nothing';

/** Whether a cookie opens the office's pages: with it, a page that does not exist gets 404 instead of the sign-in. */
async function opens(office: Parameters<typeof signIn>[0], cookie: string): Promise<boolean> {
  const { status } = await request(office).get(PAGE).set('Cookie', cookie);
  assert.ok(status === 404 || status === 303, `${status}`);
  return status === 404;
}

const post = (office: Parameters<typeof signIn>[0], path: string, headers: object, fields: object = {}) =>
  request(office)
    .post(path)
    .set({ ...headers })
    .type('form')
    .send(fields);

/** Where the sign-in leads from what a URL asks for. */
const LEADS: readonly (readonly [to: string, leads: string])[] = [
  ['/office', '/office'],
  ['/office?search=wilma', '/office?search=wilma'],
  ['/office/registrations/reg_1?a=b', '/office/registrations/reg_1?a=b'],
  ['', '/office'],
  // Pages of this host that need no sign-in.
  ['/', '/office'],
  ['/metrics', '/office'],
  ['/offices', '/office'],
  ['/office/../metrics', '/office'],
  ['/office/sign-in?to=/office/letters', '/office'],
  ['/office/sign-out', '/office'],
  // Other hosts.
  ['https://evil.example/office', '/office'],
  ['//evil.example/office', '/office'],
  ['/\\evil.example/office', '/office'],
  ['/office/../..//evil.example', '/office'],
  ['/office@evil.example', '/office'],
  ['javascript:alert(1)', '/office'],
  // What is no path.
  ['/office\r\nSet-Cookie: a=b', '/office'],
  [`/office/${'x'.repeat(1_000)}`, '/office'],
];

describe('signing in', () => {
  test('with name and password, and no other way', async (t) => {
    const { office, log } = await startTestOffice(t);
    const wrong = [];
    for (const [name, password] of [
      ['office', 'guess'],
      ['office', ''],
      ['office', 'support'],
      ['nobody', 'nobody'],
      ['', ''],
      ['office', 'x'.repeat(201)],
      ['__proto__', 'office'],
    ] as const) {
      const answer = await trySignIn(office, name, { password }).expect(401);
      assert.deepEqual(setCookiesOf(answer), []);
      wrong.push(answer.text.replace(/ value="[^"]*"/g, ''));
    }
    assert.deepEqual(new Set(wrong).size, 1, 'the answer does not tell what was wrong');
    assert.match(wrong[0] ?? '', /role="alert"><p>Name or password is wrong\./);

    const { headers } = await trySignIn(office, ' \u200bＯffice ', { password: 'office' }).expect(303);
    assert.equal(headers.location, '/office/sign-in?to=%2Foffice&cookie-set');
    assert.doesNotMatch(log.text(), /nobody|guess|__proto__|xxx/);
    assert.match(log.text(), /"user":"office","role":"office","msg":"Wrong password or code"/);
    assert.match(log.text(), /"user":"office","role":"office","msg":"Signed in"/);
  });

  test('an unknown name costs as much as a known one', async (t) => {
    // At this cost, the hash takes more work than the request itself.
    const OPS_USERS = sampleUserLines(16);
    const { office } = await startTestOffice(t, { env: { OPS_USERS } });
    const costOf = async (name: string): Promise<number> => {
      const before = process.cpuUsage();
      await trySignIn(office, name, { password: 'guess' }).expect(401);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await costOf('office');
    const [known, unknown] = [await costOf('office'), await costOf('nobody')];
    assert.ok(unknown > known / 3, `${unknown} against ${known} µs`);
  });

  test('leads back to the requested page', async (t) => {
    const { office } = await startTestOffice(t);
    const asked = await request(office).get('/office/registrations/reg_1?a=b').expect(303);
    const address = new URL(asked.headers.location ?? '', 'http://here');
    assert.equal(address.pathname, '/office/sign-in');
    const { text } = await request(office).get(`${address.pathname}${address.search}`).expect(200);
    assert.match(text, /name="to" value="\/office\/registrations\/reg_1\?a=b"/);
  });

  test('leads only to pages that need the sign-in', async (t) => {
    const { office } = await startTestOffice(t);
    const led: [string, string | undefined][] = [];
    for (const [to] of LEADS) {
      const answer = await trySignIn(office, 'office', { to }).expect(303);
      const page = request(office).get(String(answer.headers.location)).set('Cookie', cookiesOf(answer));
      const { headers } = await page.expect(303);
      led.push([to, headers.location]);
    }
    assert.deepEqual(led, LEADS);
  });

  test('says that it needs cookies to a browser that keeps none', async (t) => {
    const { office } = await startTestOffice(t);
    const { headers } = await trySignIn(office, 'office', { to: '/office/letters' }).expect(303);
    const { text } = await request(office).get(String(headers.location)).expect(200);
    assert.match(text, /role="alert"><p>Your browser did not keep the cookie of your session\. Please allow/);
    assert.match(text, /name="to" value="\/office\/letters"/);
  });

  test('the cookie is for this host only and hidden from scripts; over https it is secure', async (t) => {
    const { office } = await startTestOffice(t, { env: { TRUST_PROXY: '1' } });
    const plain = setCookiesOf(await trySignIn(office, 'office').expect(303));
    const overHttps = await trySignIn(office, 'office').set('X-Forwarded-Proto', 'https').expect(303);
    const secure = setCookiesOf(overHttps);
    const names = [...plain, ...secure].map((line) => line.split('=', 1)[0]);
    assert.deepEqual(names, ['office-browser', 'office', '__Host-office-browser', '__Host-office']);
    for (const line of [...plain, ...secure]) {
      assert.match(line, /; Path=\/; .*HttpOnly; .*SameSite=Lax/);
      assert.doesNotMatch(line, /Domain/i);
      assert.equal(/; Secure/.test(line), line.startsWith('__Host-'));
    }
    assert.match(plain[1] ?? '', /Max-Age=7200;/);
    // A cookie that was set over http opens nothing over https.
    const crossed = cookiesOf({ headers: { 'set-cookie': plain } } as never);
    await request(office).get(PAGE).set({ Cookie: crossed, 'X-Forwarded-Proto': 'https' }).expect(303);
  });

  for (const env of [
    { PUBLIC_URL: 'https://retreat.example' },
    { OFFICE_URL: 'https://office.retreat.example' },
  ])
    test(`with ${Object.keys(env)} https the cookies are secure, whatever a request looks like`, async (t) => {
      const { office } = await startTestOffice(t, { env: { TRUST_PROXY: '1', ...env } });
      for (const protocol of ['http', 'https']) {
        const answer = await trySignIn(office, 'office').set('X-Forwarded-Proto', protocol).expect(303);
        for (const line of setCookiesOf(answer)) assert.match(line, /^__Host-office.*; Secure/);
        assert.equal(await opens(office, cookiesOf(answer)), true);
        const out = await (await signIn(office, 'office')).press('/office/sign-out').expect(303);
        assert.match(setCookiesOf(out)[0] ?? '', /^__Host-office=; .*Secure/);
      }
      const plain = await startTestOffice(t, { env: { TRUST_PROXY: '1' } });
      const { cookie } = await signIn(plain.office, 'office');
      assert.equal(await opens(office, cookie), false);
    });

  test('an untrusted proxy cannot make the cookie secure', async (t) => {
    const { office } = await startTestOffice(t);
    const [, line] = setCookiesOf(await trySignIn(office, 'office').set('X-Forwarded-Proto', 'https'));
    assert.match(line ?? '', /^office=/);
  });

  test('without users the page tells how to make one, and nobody gets in', async (t) => {
    const { office } = await startTestOffice(t, { env: { OPS_USERS: '' } });
    const { text } = await request(office).get('/office/sign-in').expect(200);
    assert.match(text, /Nobody can sign in yet/);
    assert.match(text, /node dist\/support\.js users NAME --role support/);
    assert.doesNotMatch(text, /<form/);
    await trySignIn(office, 'office').expect(401);
  });

  test('works while Redis is away', async (t) => {
    const { office } = await startTestOffice(t, { redisRunning: false });
    const { get, press, cookie } = await signIn(office, 'support');
    await get('/office/status').expect(200);
    await press('/office/sign-out').expect(303);
    assert.equal(await opens(office, cookie), false);
  });
});

describe('the code of an authenticator', () => {
  const START = Date.UTC(2027, 2, 8, 12, 0, 5);
  const secret = new Secret({ size: 20 });

  async function startWithCodes(t: Parameters<typeof startTestOffice>[0], redisRunning = true) {
    let nowMs = START;
    const [office = '', support = ''] = sampleUserLines().split('\n');
    const OPS_USERS = `${office}:${secret.base32}\n${support}`;
    const options = { time: () => new Date(nowMs), env: { OPS_USERS }, redisRunning };
    const site = await startTestOffice(t, options);
    const totp = new TOTP({ secret });
    return {
      site,
      enter: async (code: string) => (await trySignIn(site.office, 'office', { code })).status,
      codeAt: (seconds: number) => totp.generate({ timestamp: START + seconds * 1000 }),
      moveTo: (seconds: number) => {
        nowMs = START + seconds * 1000;
      },
    };
  }

  for (const redisRunning of [true, false]) {
    test(`opens once, and no earlier one after it, while Redis is ${redisRunning ? 'there' : 'away'}`, async (t) => {
      const { site, enter, codeAt, moveTo } = await startWithCodes(t, redisRunning);
      const { text } = await request(site.office).get('/office/sign-in');
      assert.match(text, /autoComplete="one-time-code"/i);
      assert.equal(await enter(''), 401);
      const wrong = await trySignIn(site.office, 'office', { password: 'guess', code: codeAt(0) });
      assert.equal(wrong.status, 401, 'a wrong password uses up no code');
      assert.equal(await enter(codeAt(0)), 303);
      assert.equal(await enter(codeAt(0)), 401);
      moveTo(30);
      assert.equal(await enter(codeAt(0)), 401);
      const arabic = codeAt(30).replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(Number(digit)));
      assert.equal(await enter(` ${arabic.slice(0, 3)} ${arabic.slice(3)}`), 303);
      // A user without an authenticator is asked for no code.
      await trySignIn(site.office, 'support').expect(303);
      assert.equal(await enter(codeAt(60)), 303);
      for (const seconds of [0, 30, 60]) assert.equal(await enter(codeAt(seconds)), 401, `${seconds} s`);
      const other = openTestOffice(site, { time: () => new Date(START) });
      const { status } = await trySignIn(other, 'office', { code: codeAt(30) });
      // Without Redis each process knows its own codes only.
      assert.equal(status, redisRunning ? 401 : 303);
      moveTo(90);
      assert.equal(await enter(codeAt(60)), 401);
      assert.equal(await enter(codeAt(90)), 303);
    });
  }

  test('a phone’s clock may be half a minute off, and no more', async (t) => {
    const { enter, codeAt } = await startWithCodes(t);
    assert.equal(await enter(codeAt(-60)), 401);
    assert.equal(await enter(codeAt(60)), 401);
    assert.equal(await enter(codeAt(-30)), 303);
    assert.equal(await enter(codeAt(30)), 303);
  });

  test('that is wrong beside the right password is told to the operator, and not to who tries', async (t) => {
    const { site, codeAt } = await startWithCodes(t);
    const answerTo = async (password: string, code: string) => {
      const { status, text } = await trySignIn(site.office, 'office', { password, code });
      return { status, text };
    };
    const wrong = await answerTo('guess', codeAt(0));
    assert.equal(wrong.status, 401);
    assert.doesNotMatch(site.log.text(), /Right password, wrong code/);
    for (const code of ['000000', '']) assert.deepEqual(await answerTo('office', code), wrong);
    assert.match(site.log.text(), /"user":"office","role":"office","msg":"Right password, wrong code"/);
    const { text } = await request(site.office).get('/metrics').expect(200);
    for (const [outcome, count] of [
      ['wrong', 1],
      ['wrong-code', 2],
    ])
      assert.match(
        text,
        new RegExp(`^office_sign_ins_total\\{outcome="${outcome}",service="app"\\} ${count}$`, 'm'),
      );
  });
});

describe('requests from elsewhere', () => {
  test('a form is accepted from its own page only, with the token of its session', async (t) => {
    const { office } = await startTestOffice(t);
    const { cookie, token } = await signIn(office, 'office');
    const stranger = await signIn(office, 'support');
    const press = (path: string, headers: Record<string, string>, fields: object) =>
      post(office, path, { Cookie: cookie, ...headers }, fields);
    for (const headers of [
      {},
      { Origin: 'null' },
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'http://127.0.0.1:1' },
    ]) {
      const { text } = await press('/office/anything', headers, { token }).expect(403);
      assert.match(text, /can only be sent from the page itself/);
      await post(office, '/office/sign-in', headers, { name: 'office', password: 'office' }).expect(403);
      await press('/office/sign-out', headers, { token }).expect(403);
    }
    const writing = officePaths.announce(edition.facts.id, writeMessage.id);
    for (const fields of [{}, { token: '' }, { token: 'guess' }, { token: stranger.token }]) {
      const { text } = await press(writing, SAME_ORIGIN, { ...fields, subject: 'News' }).expect(200);
      assert.match(text, /You signed in after you had opened this form, so nothing was done/);
      const out = await press('/office/sign-out', SAME_ORIGIN, fields).expect(403);
      assert.match(out.text, /Please open its page again/);
    }
    const taken = await press(writing, SAME_ORIGIN, { token, subject: 'News' }).expect(422);
    assert.match(taken.text, /Please write a text/);
    assert.equal(await opens(office, cookie), true);
    const { text } = await post(office, writing, SAME_ORIGIN, { token }).expect(401);
    assert.match(text, /You are no longer signed in, so nothing was done/);
  });

  test('a request without a session is redirected to the sign-in, and what it asked for is not in the log', async (t) => {
    const { office, log } = await startTestOffice(t);
    await request(office).get('/office/wilma@example.org?search=wilma').expect(303);
    await request(office).get('/office').expect(303);
    assert.match(log.text(), /"path":"\/office"/);
    assert.doesNotMatch(log.text(), /wilma/);
  });

  test('opening an address changes nothing', async (t) => {
    const { office } = await startTestOffice(t);
    const { get, cookie, token } = await signIn(office, 'office');
    await get(`/office/sign-out?token=${token}`).expect(404);
    await get('/office/sign-in?name=support&password=support').expect(303).expect('Location', '/office');
    assert.equal(await opens(office, cookie), true);
    const { headers } = await request(office).get('/office/sign-in?name=office&password=office').expect(200);
    assert.equal(headers['set-cookie'], undefined);
    for (const method of ['put', 'delete', 'patch'] as const)
      await request(office)
        [method]('/office/sign-out')
        .set({ Cookie: cookie, ...SAME_ORIGIN })
        .expect(405);
  });

  test('no forged or foreign cookie opens a page', async (t) => {
    const site = await startTestOffice(t);
    const { office } = site;
    const other = await startTestOffice(t, {
      env: { LINK_SECRET: 'another-secret-of-another-site-kept-safe' },
    });
    const { cookie } = await signIn(office, 'support');
    const foreign = await signIn(other.office, 'support');
    const value = /(?:^|; )office=([^;]+)/.exec(cookie)?.[1] ?? '';
    const [version, name, id, started, seen, mac = ''] = value.split('.');
    const told = (...parts: unknown[]) => `office=${parts.join('.')}`;
    const flipped = `${mac[0] === 'A' ? 'B' : 'A'}${mac.slice(1)}`;
    for (const tried of [
      '',
      'office=',
      'office=support',
      foreign.cookie,
      told(version, name, id, started, seen, flipped),
      told(version, name, id, started, seen, ''),
      told(version, 'office', id, started, seen, mac),
      told(version, 'nobody', id, started, seen, mac),
      told(version, name, id, Number(started) + 1, seen, mac),
      told(version, name, id, started, Number(seen) + 1, mac),
      told('v2', name, id, started, seen, mac),
      cookie.replace('office=', 'place='),
      cookie.replace('office-browser=', 'office=').replace(/; office=.*/, ''),
      `office="${value}"`,
    ]) {
      assert.equal(await opens(office, tried), false, tried);
      await request(office).get('/office/status').set('Cookie', tried).expect(303);
    }
    assert.equal(await opens(office, cookie), true);
    // The site's own listener knows none of these pages.
    for (const path of ['/office', '/office/sign-in', '/office/status'])
      await request(site.app).get(path).set('Cookie', cookie).expect(404);
  });

  test('`office` cannot do what only `support` may, and the page says so', async (t) => {
    const { office, log } = await startTestOffice(t);
    const { get } = await signIn(office, 'office');
    const { text } = await get('/office/status').expect(403);
    assert.match(text, /This page is for support/);
    assert.match(log.text(), /"user":"office","role":"office","msg":"Refused: this wants another role"/);
  });
});
