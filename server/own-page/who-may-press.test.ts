import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import request from 'supertest';
import { changeRow, readActs, renewLinks } from '#server/registration/registration.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { newsOf, startOwnPage, type TestOwnPage } from '#server/testing/test-own-page.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PROOF = '0142';
/** The tick beside the press that closes her page everywhere. */
const SURE = { sure: 'on' };
const details = { firstName: 'Wilma', lastName: 'Fuchs', phoneNumber: '' };
const BEGUN_AT = new Date(edition.tryOutFrom);
const decidedAt = BEGUN_AT.toISOString();
const PARTS = [1, 2].map((number) => ({
  number,
  cents: edition.facts.prices.balanceBeforeFeeCents / 2,
  dueAt: new Date(edition.facts.balance.chargeAt),
}));
const MARY = {
  firstName: 'Mary',
  lastName: 'Hart',
  email: 'mary@example.org',
  phoneNumber: '+1 (555) 555-0177',
};
/** The forms that need her proof, with what they send beside it. */
const PROVEN = [
  [formPaths.pay, { cents: edition.facts.prices.balanceCents, part: '', card: 'visa 4242' }],
  [formPaths.card, {}],
  [formPaths.cancel, { cents: 0, paid: edition.facts.prices.depositCents }],
  [formPaths.plan, { decided: decidedAt, cents: edition.facts.prices.balanceCents }],
  [formPaths.handOver, { act: 'agree', decided: decidedAt }],
  [formPaths.details, details],
  [formPaths.address, { email: 'wilma@new.example' }],
  [formPaths.addressDropped, {}],
  [formPaths.data, {}],
  [formPaths.undo, {}],
] as const;
const FORMS: readonly (readonly [path: string, input: object])[] = [
  ...PROVEN.map(([path, input]) => [path, { ...input, proof: PROOF }] as const),
  [formPaths.timeZone, { timeZone: 'Europe/Berlin' }],
];

/** Sends a press as a form does, with the given headers and token. */
const sender =
  ({ app }: Pick<TestOwnPage, 'app'>, path: string, input: object) =>
  (headers: Record<string, string>, token: string) =>
    request(app)
      .post(path)
      .set(headers)
      .type('form')
      .send({ ...input, token });

describe('who may press', () => {
  test('nobody without a session, with only a link, or with a request that another site forges', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, tokenWith, pressToken, calls } = ownPage;
    const cookie = await enter();
    const token = pressToken(cookie);
    const forged = [pressToken(`place=${tokenWith({ scope: 'session' })}`), '', 'x', `${token}x`];
    for (const [path, input] of FORMS) {
      const send = sender(ownPage, path, input);
      await send({}, token).expect(200);
      for (const headers of [
        { Cookie: `place=${tokenWith()}` },
        { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' },
        { Cookie: cookie, Origin: 'https://other.example' },
      ])
        await send(headers, token).expect(403);
      for (const one of forged)
        assert.equal(newsOf(await send({ Cookie: cookie }, one).expect(303)), 'changed');
    }
    assert.deepEqual(calls, []);
  });

  test('nobody without the proof that it is she: the form is shown again with what was typed, and nothing is done', async (t) => {
    const { enter, press, database, registration, clock } = await startOwnPage(t);
    const cookie = await enter();
    const at = clock.now;
    await recordAct(database, registration, 'plan', { at, parts: PARTS });
    await recordAct(database, registration, 'handOver', { at, ...MARY });
    const asked = { askedAddress: 'wilma@new.example', askedAt: at };
    await database.write((transaction) => changeRow(transaction, registration, asked));
    const kinds = async () =>
      (await database.read((transaction) => readActs(transaction, registration)))
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'proof-failed' && kind !== 'cancel');
    const before = await kinds();
    // What a plan leaves of paying is tested with paying.
    for (const [path, input] of PROVEN.filter(([path]) => path !== formPaths.pay)) {
      if (path === formPaths.undo)
        await recordAct(database, registration, 'cancel', { at, writtenAt: at.toISOString() });
      for (const [proof, words] of [
        ['', /so that we know it is you/],
        ['0000', /This does not match the last four digits of your phone number/],
      ] as const) {
        const { text } = await press(cookie, path, { ...input, proof }).expect(422);
        assert.match(text, words, path);
        assert.ok(text.includes(`value="${proof}"`), path);
      }
    }
    assert.deepEqual(await kinds(), before);
  });

  test('right after the payment the page is read-only, for an hour', async (t) => {
    const ownPage = await startOwnPage(t);
    const { app, press, see, clock, clientSecret } = ownPage;
    const { headers } = await press('', ownPagePaths.open, { paymentIntentClientSecret: clientSecret });
    await request(app).get(String(headers.location)).expect(403);
    const [set = ''] = headers['set-cookie'] ?? [];
    assert.match(set, /^place=v1\.\w+\.0\.view-[\da-f]{16}\..*Max-Age=3600;.*HttpOnly/);
    const cookie = set.split(';')[0] ?? '';
    const { text } = await see(cookie).expect(200);
    assert.doesNotMatch(text, /name="kind"|href="\/place\/(?:pay|card)"/);
    for (const [path, input] of FORMS)
      assert.equal(newsOf(await press(cookie, path, input).expect(303)), 'changed');
    const form = await see(cookie, formPaths.cancel).expect(200);
    assert.doesNotMatch(form.text, /<form|<input/);
    assert.match(form.text, /Open the link in your welcome e-mail/);
    assert.deepEqual(ownPage.writes(), []);
    clock.now = new Date(clock.now.getTime() + 60 * 60 * 1000);
    await see(cookie).expect(403);
  });

  test('the payment’s secret opens the page for an hour after the payment, and does not replace a full session', async (t) => {
    const ownPage = await startOwnPage(t);
    const { press, enter, pass, payments, registration } = ownPage;
    const paymentIntentClientSecret = ownPage.clientSecret;
    const open = (cookie: string) =>
      press(cookie, ownPagePaths.open, { paymentIntentClientSecret }).expect(303);
    const cookie = await enter();
    assert.equal((await open(cookie)).headers['set-cookie'], undefined);
    await renewLinks(payments, { subject: registration, epoch: 0 });
    assert.match(String((await open(cookie)).headers['set-cookie']), /\.1\.view-/);
    pass(61);
    const late = await open('');
    assert.deepEqual([late.headers.location, late.headers['set-cookie']], [OWN_PAGE_PATH, undefined]);
  });

  test('nobody with a payment that is unpaid, or not hers', async (t) => {
    const { app, press, clientSecret, calls } = await startOwnPage(t);
    const open = (paymentIntentClientSecret: string) =>
      press('', ownPagePaths.open, { paymentIntentClientSecret });
    const begun = await submitContact(app, { email: 'fred@example.org' }, 'b'.repeat(32)).expect(200);
    const opened = await open(String(begun.body.paymentIntentClientSecret)).expect(303);
    assert.equal(opened.headers['set-cookie'], undefined);
    const refused = await open(`${clientSecret}x`).expect(409);
    assert.equal(refused.headers['set-cookie'], undefined);
    calls.length = 0;
    for (let time = 3; time <= 20; time += 1) await open(`${clientSecret}x`);
    const asked = calls.length;
    await open(clientSecret).expect(429);
    assert.equal(calls.length, asked);
  });

  test('a browser that hides where its form comes from, but from no other site', async (t) => {
    const ownPage = await startOwnPage(t);
    const cookie = await ownPage.enter();
    const send = (headers: Record<string, string>) =>
      sender(ownPage, ownPagePaths.leave, {})({ Cookie: cookie, ...headers }, ownPage.pressToken(cookie));
    await send({ Origin: 'null' }).expect(303);
    await send({ Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }).expect(403);
  });
});

/** Moves the clock, and opens her link: another session begins. */
async function enterLater({ clock, enter, tokenWith }: TestOwnPage, ms = 1_000, epoch = 0): Promise<string> {
  clock.now = new Date(clock.now.getTime() + ms);
  return enter(tokenWith({ epoch }));
}

describe('somebody else who has her link', () => {
  test('gives three wrong proofs in a day: a letter tells her of the third, which is true for three days', async (t) => {
    const ownPage = await startOwnPage(t);
    const { press, payments, database, registration, clock, see } = ownPage;
    const letterNow = async () => (await findMail(payments, registration, 'proof-failed', clock.now))?.id;
    const cookie = await enterLater(ownPage);
    await press(cookie, formPaths.details, { ...details, proof: PROOF }).expect(303);
    assert.equal(await letterNow(), undefined);
    await press(cookie, formPaths.card, { proof: '0000' }).expect(422);
    await press(cookie, formPaths.details, { ...details, proof: '0000' }).expect(422);
    assert.equal(await letterNow(), undefined);
    await press(cookie, formPaths.details, { ...details, proof: '0000' }).expect(422);
    const first = await letterNow();
    assert.ok(first);
    ownPage.pass(1);
    await press(cookie, formPaths.details, { ...details, proof: '0000' }).expect(422);
    assert.equal(await letterNow(), first);
    const later = await enterLater(ownPage, DAY_MS);
    await press(later, formPaths.details, { ...details, proof: '1' }).expect(422);
    assert.equal(await letterNow(), first);
    for (let time = 2; time <= 3; time += 1)
      await press(later, formPaths.details, { ...details, proof: '1' }).expect(422);
    assert.notEqual(await letterNow(), first);
    const acts = await database.read((transaction) => readActs(transaction, registration));
    const failed = acts.filter(({ kind }) => kind === 'proof-failed').map(({ byWhom }) => byWhom);
    assert.deepEqual(failed, Array(6).fill('somebody with her link'));
    assert.match((await see(cookie)).text, /Somebody else may be on your page/);
    clock.now = new Date(clock.now.getTime() + 3 * DAY_MS);
    assert.equal(await letterNow(), undefined);
  });

  test('is shut out when she closes her page everywhere, also once he used up its reads, and a letter brings her a new link', async (t) => {
    const ownPage = await startOwnPage(t);
    const { press, see, mailQueue, find, calls, limiter, registration } = ownPage;
    const lettersSent = async () =>
      (await mailQueue.bullQueue.getJobs()).filter(({ name }) => name === 'place-link').length;
    const hers = await enterLater(ownPage);
    await press(hers, formPaths.address, { email: 'wilma@new.example', proof: PROOF }).expect(303);
    for (let time = 1; time <= 10; time += 1) await limiter.take(['place-proofs', registration]);
    while (!(await limiter.take(['place-reads-in-all', `${registration} 0`])));
    await press(hers, formPaths.details, { ...details, proof: PROOF }).expect(429);
    const his = await enterLater(ownPage);

    calls.length = 0;
    const { text } = await see(hers).expect(429);
    const [, token] = /name="token" value="([^"]+)"/.exec(text) ?? [];
    await press(hers, ownPagePaths.close, { token }).expect(400);
    const closed = await press(hers, ownPagePaths.close, { token, ...SURE }).expect(200);
    assert.match(closed.text, /Your page is closed in every browser/);
    assert.match(String(closed.headers['set-cookie']), /^place=;/);
    while ((await lettersSent()) < 1) await setImmediate();
    const { linksEpoch, addressAsked } = await find();
    assert.deepEqual([linksEpoch, addressAsked, ownPage.writes()], [1, undefined, []]);
    for (const cookie of [hers, his]) {
      assert.notEqual((await see(cookie)).status, 200);
      await press(cookie, ownPagePaths.close, SURE).expect(403);
    }
    assert.equal((await find()).linksEpoch, 1);
    const again = await enterLater(ownPage, 1_000, 1);
    await see(again).expect(200);
    // The proofs that he used up would gain him new ones.
    await press(again, formPaths.details, { ...details, proof: PROOF }).expect(429);
    // At most three letters a day, however often it is closed.
    for (let epoch = 1; epoch <= 4; epoch += 1)
      await press(await enterLater(ownPage, 1_000, epoch), ownPagePaths.close, SURE).expect(200);
    while ((await lettersSent()) < 3) await setImmediate();
    assert.equal((await find()).linksEpoch, 5);
    assert.equal(await lettersSent(), 3);
  });
});

test('a press from one person’s page, after another’s was opened in the same browser, is plainly refused', async (t) => {
  const ownPage = await startOwnPage(t);
  const { enter, press, pressToken, tokenWith, calls } = ownPage;
  const cookie = await enter();
  const token = pressToken(`place=${tokenWith({ subject: 'reg_of_another', scope: 'session' })}`);
  calls.length = 0;
  for (const [path, input] of [...FORMS, [ownPagePaths.close, SURE] as const]) {
    const { text, headers } = await press(cookie, path, { ...input, token }).expect(409);
    assert.match(text, /The page of somebody else was opened in this browser after yours/);
    assert.doesNotMatch(text, /press again|Wilma|wilma/);
    assert.equal(headers['set-cookie'], undefined);
  }
  assert.deepEqual(calls, []);
});
