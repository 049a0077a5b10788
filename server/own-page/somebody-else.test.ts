import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { mailJobId } from '#server/mail/job.ts';
import { readOnRecord } from '#server/record/on-record.ts';
import { newsOf, startOwnPage, type TestOwnPage } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PROOF = '0142';
/** The tick beside the press that closes her page everywhere. */
const SURE = { sure: 'on' };
const details = { firstName: 'Wilma', lastName: 'Fuchs', phoneNumber: '' };

/** Moves the clock, and opens her link: another session begins. */
async function enterLater({ clock, enter, tokenWith }: TestOwnPage, ms = 1_000, epoch = 0): Promise<string> {
  clock.now = new Date(clock.now.getTime() + ms);
  return enter(tokenWith({ epoch }));
}

describe('somebody else who has her link', () => {
  test('gives a wrong proof: a letter tells her once a day, which is true for three days', async (t) => {
    const ownPage = await startOwnPage(t);
    const { press, act, payments, deposit, clock, see } = ownPage;
    const letterNow = async () => {
      const letter = await payments.findMail(deposit, 'proof-failed', clock.now);
      return letter && mailJobId(letter);
    };
    const cookie = await enterLater(ownPage);
    await press(cookie, formPaths.details, { ...details, proof: PROOF }).expect(303);
    assert.equal(await letterNow(), undefined);
    const wrong = { cents: edition.facts.prices.balanceCents, proof: '0000' };
    await act(cookie, ownPagePaths.pay, wrong).expect(422);
    const first = await letterNow();
    assert.ok(first);
    clock.now = new Date(clock.now.getTime() + 60_000);
    for (let time = 2; time <= 4; time += 1)
      await press(cookie, formPaths.details, { ...details, proof: '0000' }).expect(422);
    await press(cookie, formPaths.details, { ...details, proof: '0000' }).expect(429);
    assert.equal(await letterNow(), first);
    await press(await enterLater(ownPage, DAY_MS), formPaths.details, { ...details, proof: '1' }).expect(422);
    assert.notEqual(await letterNow(), first);
    const { acts } = await readOnRecord(ownPage, deposit);
    const failed = acts.filter(({ kind }) => kind === 'proof-failed');
    assert.deepEqual(
      failed.map(({ byWhom, facts }) => [byWhom, facts]),
      Array.from({ length: 2 }, () => ['somebody with her link', '{}']),
    );
    assert.match((await see(cookie)).text, /Was that you on your page\?/);
    clock.now = new Date(clock.now.getTime() + 3 * DAY_MS);
    assert.equal(await letterNow(), undefined);
  });

  test('is shut out when she closes her page everywhere, whatever he used up, and a letter brings her a new link', async (t) => {
    const ownPage = await startOwnPage(t);
    const { press, see, mailQueue, find, calls } = ownPage;
    const lettersSent = async () =>
      (await mailQueue.bullQueue.getJobs()).filter(({ name }) => name === 'place-link').length;
    const hers = await enterLater(ownPage);
    await press(hers, formPaths.address, { email: 'wilma@new.example', proof: PROOF }).expect(303);
    for (let session = 1; session <= 3; session += 1) {
      const his = await enterLater(ownPage);
      for (let time = 1; time <= 5; time += 1)
        await press(his, formPaths.details, { ...details, proof: '0000' });
      for (let time = 6; time <= 60; time += 1) await see(his, ownPagePaths.calendar);
    }
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
    assert.equal(
      newsOf(await press(again, formPaths.details, { ...details, proof: PROOF }).expect(303)),
      'details-corrected',
    );
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
  const { enter, press, act, pressToken, tokenWith, calls } = ownPage;
  const cookie = await enter();
  const token = pressToken(`place=${tokenWith({ deposit: 'pi_of_another', scope: 'session' })}`);
  calls.length = 0;
  const cents = edition.facts.prices.balanceCents;
  for (const [path, input] of [
    [ownPagePaths.pay, { cents, proof: PROOF }],
    [ownPagePaths.card, { proof: PROOF }],
    [ownPagePaths.cardStored, { setupIntent: 'seti_1' }],
  ] as const) {
    const { body } = await act(cookie, path, { ...input, token }).expect(409);
    assert.equal(body.error.code, 'another_page');
    assert.match(body.error.message, /The page of somebody else was opened in this browser after yours/);
  }
  for (const [path, input] of [
    [formPaths.cancel, { cents: 0, paid: edition.facts.prices.depositCents, proof: PROOF }],
    [formPaths.undo, { proof: PROOF }],
    [formPaths.details, { ...details, proof: PROOF }],
    [formPaths.address, { email: 'wilma@new.example', proof: PROOF }],
    [formPaths.addressDropped, { proof: PROOF }],
    [ownPagePaths.letter, { kind: 'welcome' }],
    [ownPagePaths.close, SURE],
  ] as const) {
    const { text, headers } = await press(cookie, path, { ...input, token }).expect(409);
    assert.match(
      text,
      /The page of somebody else was opened in this browser after yours, so nothing was done/,
    );
    assert.doesNotMatch(text, /press again|Wilma|wilma/);
    assert.equal(headers['set-cookie'], undefined);
  }
  assert.deepEqual(calls, []);
});
