import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { recordSent } from '#server/testing/test-charges.ts';
import { startOwnPage } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { ownPagePaths } from '#shared/own-page.ts';

const { recordings: from = '' } = edition.timetable.letters;
const READY = new Date(from);
const url = 'https://videos.example.org/retreat';

/** Her page once the office has announced the recordings, by default with the balance paid by check. */
async function startRecordings(t: TestContext, { isPaid = true } = {}) {
  const ownPage = await startOwnPage(t);
  const { clock, payments, deposit } = ownPage;
  const payByCheck = async () => {
    const record = (await payments.findRegistration(deposit)) ?? assert.fail();
    const at = clock.now;
    await payments.recordReceived(record, { at, by: 'Anna', way: 'check', cents: 70_000, on: at });
  };
  if (isPaid) await payByCheck();
  const say = (address: string) =>
    payments.announce(edition, 'recordings', { url: address, at: clock.now, by: 'Anna' }, {});
  clock.now = READY;
  const cookie = await ownPage.enter();
  return {
    ...ownPage,
    say,
    payByCheck,
    see: async () => (await ownPage.see(cookie).expect(200)).text,
    cookie,
  };
}

describe('the recordings, on her page', () => {
  test('R5.1 are linked from the moment of their letter on, with a list of what was recorded', async (t) => {
    const { say, see, clock } = await startRecordings(t);
    assert.doesNotMatch(await see(), /id="recordings"/);
    await say(url);
    const page = await see();
    assert.match(page, new RegExp(`href="${url}"[^>]*>Open the recordings`));
    assert.match(page, /Opening session \(video\)/);
    assert.doesNotMatch(page, /Group sessions \(/);
    clock.now = new Date(READY.getTime() - 1);
    assert.doesNotMatch(await see(), /id="recordings"|videos\.example/);
  });

  test('R5.1 open once nothing is left to pay: until then her page says so, and does not link them', async (t) => {
    const { say, see, payByCheck } = await startRecordings(t, { isPaid: false });
    await say(url);
    const page = await see();
    assert.match(page, /They open from this page, once nothing is left to pay/);
    assert.doesNotMatch(page, /videos\.example/);
    await payByCheck();
    assert.match(await see(), new RegExp(`href="${url}"[^>]*>Open the recordings`));
  });

  test('R5.1 are not linked for a registrant who has cancelled', async (t) => {
    const { say, see, payments, deposit, clock } = await startRecordings(t);
    await say(url);
    const record = (await payments.findRegistration(deposit)) ?? assert.fail();
    await payments.decide(record, 'cancel', { at: clock.now, by: 'Anna', writtenAt: clock.now });
    assert.doesNotMatch(await see(), /id="recordings"|videos\.example/);
  });

  test('R5.1 can be announced by letter again', async (t) => {
    const { say, see, press, cookie, payments, letterLog, deposit, mailQueue } = await startRecordings(t);
    await say(url);
    const letter = (await payments.findMail(deposit, 'recordings', READY)) ?? assert.fail();
    await recordSent(letterLog, letter, READY);
    assert.match(await see(), /aria-label="Send again: The recordings of The Doorway Retreat are ready"/);
    await press(cookie, ownPagePaths.letter, { kind: 'recordings' }).expect(303);
    const jobs = await mailQueue.bullQueue.getWaiting();
    assert.equal(jobs.filter(({ name }) => name === 'recordings').length, 1);
  });
});
