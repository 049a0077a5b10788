import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
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
import { edition } from '#shared/content/compiled/on-sale.ts';
import { officePaths } from './paths.ts';

const PAGE = '/office/nothing';

/** Whether a cookie opens the office's pages: with it, a page that does not exist gets 404 instead of the sign-in. */
async function opens(office: Parameters<typeof signIn>[0], cookie: string): Promise<boolean> {
  const { status } = await request(office).get(PAGE).set('Cookie', cookie);
  assert.ok(status === 404 || status === 303, `${status}`);
  return status === 404;
}

const post = (
  office: Parameters<typeof signIn>[0],
  path: string,
  headers: Record<string, string>,
  fields: object,
) => request(office).post(path).set(headers).type('form').send(fields);

/** Where the sign-in leads from what a URL asks for. */
const LEADS: readonly (readonly [to: string, leads: string])[] = [
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

  test('a page without a session leads to the sign-in, which leads back; its address is not in the log', async (t) => {
    const { office, log } = await startTestOffice(t);
    const asked = '/office/wilma@example.org?search=wilma';
    const { headers } = await request(office).get(asked).expect(303);
    assert.match(String(headers.location), /^\/office\/sign-in\?to=/);
    const { text } = await request(office).get(String(headers.location)).expect(200);
    assert.ok(text.includes(`name="to" value="${asked}"`));
    await request(office).get('/office').expect(303);
    assert.match(log.text(), /"path":"\/office"/);
    assert.doesNotMatch(log.text(), /wilma/);
  });

  test('leads only to pages that need the sign-in', async (t) => {
    const { office } = await startTestOffice(t);
    for (const [to, leads] of LEADS) {
      const answer = await trySignIn(office, 'office', { to }).expect(303);
      const page = request(office).get(String(answer.headers.location)).set('Cookie', cookiesOf(answer));
      await page.expect(303).expect('Location', leads);
    }
  });

  test('says that it needs cookies to a browser that keeps none', async (t) => {
    const { office } = await startTestOffice(t);
    const { headers } = await trySignIn(office, 'office', { to: '/office/letters' }).expect(303);
    const { text } = await request(office).get(String(headers.location)).expect(200);
    assert.match(text, /role="alert"><p>Your browser did not keep the cookie of your session\. Please allow/);
    assert.match(text, /name="to" value="\/office\/letters"/);
  });

  for (const [env, protocol, isSecure] of [
    [{}, 'https', false],
    [{ TRUST_PROXY: '1' }, 'http', false],
    [{ TRUST_PROXY: '1' }, 'https', true],
    [{ TRUST_PROXY: '1', PUBLIC_URL: 'https://retreat.example' }, 'http', true],
    [{ TRUST_PROXY: '1', OFFICE_URL: 'https://office.retreat.example' }, 'http', true],
  ] as const)
    test(`cookies are of this host and hidden from scripts; ${JSON.stringify(env)} over ${protocol}: ${isSecure ? 'secure' : 'plain'}`, async (t) => {
      const { office } = await startTestOffice(t, { env });
      const answer = await trySignIn(office, 'office').set('X-Forwarded-Proto', protocol).expect(303);
      const [browser = '', session = ''] = setCookiesOf(answer);
      const prefix = isSecure ? '__Host-' : '';
      assert.ok(browser.startsWith(`${prefix}office-browser=`) && session.startsWith(`${prefix}office=`));
      assert.match(session, /Max-Age=7200;/);
      for (const line of [browser, session]) {
        assert.match(line, /; Path=\/; .*HttpOnly; .*SameSite=Lax/);
        assert.doesNotMatch(line, /Domain/i);
        assert.equal(/; Secure/.test(line), isSecure);
      }
      const cookie = cookiesOf(answer);
      const ask = (as: string) => request(office).get(PAGE).set({ Cookie: cookie, 'X-Forwarded-Proto': as });
      await ask(protocol).expect(404);
      // A cookie that was set over http opens nothing over https.
      if ('TRUST_PROXY' in env && !isSecure) await ask('https').expect(303);
    });

  test('without users the page tells how to make one, and nobody gets in', async (t) => {
    const { office } = await startTestOffice(t, { env: { OPS_USERS: '' } });
    const { text } = await request(office).get('/office/sign-in').expect(200);
    assert.match(text, /Nobody can sign in yet/);
    assert.match(text, /node dist\/support\.js users NAME --role support/);
    assert.doesNotMatch(text, /<form/);
    await trySignIn(office, 'office').expect(401);
  });
});

describe('the code of an authenticator', () => {
  const START = Date.UTC(2027, 2, 8, 12, 0, 5);
  const secret = new Secret();
  const codeOf = (seconds: number) => new TOTP({ secret }).generate({ timestamp: START + seconds * 1000 });

  /** `office` has an authenticator, and `support` has none. */
  async function startWithCodes(t: TestContext, redisRunning = true) {
    let nowMs = START;
    const OPS_USERS = sampleUserLines().replace('\n', `:${secret.base32}\n`);
    const options = { time: () => new Date(nowMs), env: { OPS_USERS }, redisRunning };
    const site = await startTestOffice(t, options);
    return {
      site,
      /** Whether a code opens the office at so many seconds. */
      async enter(atS: number, code: string): Promise<boolean> {
        nowMs = START + atS * 1000;
        return (await trySignIn(site.office, 'office', { code })).status === 303;
      },
    };
  }

  for (const redisRunning of [true, false])
    test(`opens once, and no earlier one after it, while Redis is ${redisRunning ? 'there' : 'away'}`, async (t) => {
      const { site, enter } = await startWithCodes(t, redisRunning);
      await trySignIn(site.office, 'office', { password: 'guess', code: codeOf(0) }).expect(401);
      for (const [atS, ofS, opens] of [
        // The wrong password has used up no code.
        [0, 0, true],
        [0, 0, false],
        [30, 0, false],
        [30, 60, true],
        [30, 60, false],
        [30, 30, false],
        [90, 60, false],
        [90, 90, true],
      ] as const)
        assert.equal(await enter(atS, codeOf(ofS)), opens, `that of ${ofS} s at ${atS} s`);
      const other = openTestOffice(site, { time: () => new Date(START) });
      // Without Redis each process knows its own codes only.
      await trySignIn(other, 'office', { code: codeOf(30) }).expect(redisRunning ? 401 : 303);
    });

  test('may be of a clock that is half a minute off, in digits of any script', async (t) => {
    const { site, enter } = await startWithCodes(t);
    const { text } = await request(site.office).get('/office/sign-in');
    assert.match(text, /autoComplete="one-time-code"/i);
    const arabic = codeOf(0).replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(Number(digit)));
    for (const [code, opens] of [
      ['', false],
      [codeOf(-60), false],
      [codeOf(60), false],
      [codeOf(-30), true],
      [` ${arabic.slice(0, 3)} ${arabic.slice(3)}`, true],
      [codeOf(30), true],
    ] as const)
      assert.equal(await enter(0, code), opens, code);
    await trySignIn(site.office, 'support').expect(303);
  });

  test('that is wrong beside the right password is told to the operator, and not to who tries', async (t) => {
    const { site } = await startWithCodes(t);
    const answerTo = async (password: string) =>
      (await trySignIn(site.office, 'office', { password, code: '000000' }).expect(401)).text;
    assert.equal(await answerTo('guess'), await answerTo('office'));
    assert.match(site.log.text(), /"user":"office","role":"office","msg":"Right password, wrong code"/);
    const { text } = await request(site.office).get('/metrics').expect(200);
    for (const outcome of ['wrong', 'wrong-code'])
      assert.ok(text.includes(`office_sign_ins_total{outcome="${outcome}",service="app"} 1\n`));
  });
});

describe('requests from elsewhere', () => {
  test('no form is accepted from another page', async (t) => {
    const { office } = await startTestOffice(t);
    const { cookie, token } = await signIn(office, 'office');
    for (const headers of [
      {},
      { Origin: 'null' },
      { Origin: 'https://evil.example' },
      { Origin: 'http://127.0.0.1:1' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
    ])
      for (const path of ['/office/anything', '/office/sign-in', '/office/sign-out']) {
        const sent = post(office, path, { Cookie: cookie, ...headers }, { token, name: 'office' });
        assert.match((await sent.expect(403)).text, /can only be sent from the page itself/);
      }
    assert.equal(await opens(office, cookie), true);
  });

  test('a form is accepted with the token of its session only', async (t) => {
    const { office } = await startTestOffice(t);
    const { cookie, token } = await signIn(office, 'office');
    const stranger = await signIn(office, 'support');
    const headers = { Cookie: cookie, ...SAME_ORIGIN };
    const writing = officePaths.announce(edition.facts.id, writeMessage.id);
    for (const fields of [{}, { token: '' }, { token: 'guess' }, { token: stranger.token }]) {
      const { text } = await post(office, writing, headers, { ...fields, subject: 'News' }).expect(200);
      assert.match(text, /You signed in after you had opened this form, so nothing was done/);
      const out = await post(office, '/office/sign-out', headers, fields).expect(403);
      assert.match(out.text, /Please open its page again/);
    }
    const taken = await post(office, writing, headers, { token, subject: 'News' }).expect(422);
    assert.match(taken.text, /Please write a text/);
    assert.equal(await opens(office, cookie), true);
    const { text } = await post(office, writing, SAME_ORIGIN, { token }).expect(401);
    assert.match(text, /You are no longer signed in, so nothing was done/);
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
      await request(office)[method]('/office/sign-out').set('Cookie', cookie).set(SAME_ORIGIN).expect(405);
  });

  test('no forged or foreign cookie opens a page', async (t) => {
    const { app, office } = await startTestOffice(t);
    const other = await startTestOffice(t, {
      env: { LINK_SECRET: 'another-secret-of-another-site-kept-safe' },
    });
    const { cookie } = await signIn(office, 'support');
    const foreign = await signIn(other.office, 'support');
    const value = /(?:^|; )office=([^;]+)/.exec(cookie)?.[1] ?? '';
    const [version, name, id, started, seen, mac = ''] = value.split('.');
    for (const tried of [
      '',
      'office=',
      'office=support',
      foreign.cookie,
      ...[
        [version, name, id, started, seen, `${mac[0] === 'A' ? 'B' : 'A'}${mac.slice(1)}`],
        [version, name, id, started, seen, ''],
        [version, 'office', id, started, seen, mac],
        [version, 'nobody', id, started, seen, mac],
        [version, name, id, Number(started) + 1, seen, mac],
        [version, name, id, started, Number(seen) + 1, mac],
        ['v2', name, id, started, seen, mac],
      ].map((parts) => `office=${parts.join('.')}`),
      cookie.replace('office=', 'place='),
      cookie.replace('office-browser=', 'office=').replace(/; office=.*/, ''),
      `office="${value}"`,
    ])
      assert.equal(await opens(office, tried), false, tried);
    assert.equal(await opens(office, cookie), true);
    // The site's own listener knows none of these pages.
    for (const path of ['/office', '/office/sign-in', '/office/status'])
      await request(app).get(path).set('Cookie', cookie).expect(404);
  });

  test('`office` cannot do what only `support` may, and the page says so', async (t) => {
    const { office, log } = await startTestOffice(t);
    const { get } = await signIn(office, 'office');
    const { text } = await get('/office/status').expect(403);
    assert.match(text, /This page is for support/);
    assert.match(log.text(), /"user":"office","role":"office","msg":"Refused: this wants another role"/);
  });
});
