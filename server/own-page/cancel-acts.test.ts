import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { findRegistration, HERSELF, readActs } from '#server/registration/registration.ts';
import { goToBank } from '#server/testing/test-cards.ts';
import { occupy, openTestDatabase, recordAct } from '#server/testing/test-database.ts';
import { newsCookieOf, newsOf, startOwnPage, type TestOwnPage } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formPaths, OWN_PAGE_PATH } from '#shared/own-page.ts';

const HOUR_MS = 60 * 60 * 1000;
const { prices, balance } = edition.facts;
const BACK = prices.balanceBeforeFeeCents;
const PAID = prices.depositCents + prices.balanceCents;
const LAST = new Date(Date.parse(balance.refundsEndAt) - 1);
const TOO_LATE = new Date(balance.refundsEndAt);
const PROOF = '0142';

const proven = { proof: PROOF };
const asShown = { cents: 0, paid: prices.depositCents, proof: PROOF };
const asPaid = { cents: BACK, paid: PAID, proof: PROOF };

/** The last act about cancelling that is on record. */
async function decisionOf({
  database,
  registration,
}: TestOwnPage): Promise<Record<string, unknown> | undefined> {
  const acts = await database.read((transaction) => readActs(transaction, registration));
  const last = acts.findLast(({ kind }) => kind === 'cancel' || kind === 'withdrawal');
  return last && { ...JSON.parse(last.facts), kind: last.kind, at: last.happenedAt, by: last.byWhom };
}

/** She goes to her bank to pay the balance. */
async function payBalance({ payments, sandbox, registration, clock, sync }: TestOwnPage) {
  const record = (await findRegistration(payments, registration)) ?? assert.fail();
  const id = await goToBank({ payments, sandbox }, record, clock.now);
  /** She confirms it, and the site takes Stripe's event. */
  const pay = async () => {
    sandbox.bank.authenticate(id);
    await sync(registration);
  };
  return { id, pay };
}

/** A registrant who has paid both, on the day on which the balance is due. */
async function startPaid(t: TestContext, options?: Parameters<typeof startOwnPage>[1]) {
  const ownPage = await startOwnPage(t, options);
  ownPage.clock.now = new Date(balance.chargeAt);
  const { pay } = await payBalance(ownPage);
  await pay();
  ownPage.calls.length = 0;
  return ownPage;
}

describe('she cancels on her page', () => {
  test('before the balance is charged: her cancellation is recorded, the open payment ends, and the worker is asked', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, press, see, clock, stripe } = ownPage;
    const { id } = await payBalance(ownPage);
    const cookie = await enter();
    const page = await see(cookie, formPaths.cancel).expect(200);
    assert.match(page.text, /name="cents" value="0"/);
    assert.equal(await ownPage.timesAsked(), 0);
    const answer = await press(cookie, formPaths.cancel, asShown).expect(303);
    assert.deepEqual([answer.headers.location, newsOf(answer)], [OWN_PAGE_PATH, 'cancelled']);
    const [at, writtenAt] = [clock.now, clock.now.toISOString()];
    const decision = { kind: 'cancel', at, by: HERSELF, writtenAt, onPage: true };
    assert.deepEqual(await decisionOf(ownPage), decision);
    assert.equal((await stripe.paymentIntents.retrieve(id)).status, 'canceled');
    assert.equal(await ownPage.timesAsked(), 1);
    const { text } = await see(`${cookie}; ${newsCookieOf(answer)}`).expect(200);
    assert.match(text, /Your place is cancelled/);
    assert.match(text, /You have cancelled\. You can undo this until/);
    assert.doesNotMatch(text, /data-act=|id="days"|id="room"/);
    const again = await see(cookie, formPaths.cancel).expect(303);
    assert.equal(again.headers.location, OWN_PAGE_PATH);
  });

  test('opened before midnight and pressed after it: nothing is done, and she sees the current sum', async (t) => {
    const ownPage = await startPaid(t);
    const { enter, press, see, clock } = ownPage;
    clock.now = LAST;
    const cookie = await enter();
    await see(cookie, formPaths.cancel).expect(200);
    clock.now = TOO_LATE;
    const answer = await press(cookie, formPaths.cancel, asPaid).expect(303);
    assert.deepEqual([answer.headers.location, newsOf(answer)], [formPaths.cancel, 'changed']);
    assert.deepEqual(ownPage.writes(), []);
    const { text } = await see(`${cookie}; ${newsCookieOf(answer)}`, formPaths.cancel).expect(200);
    assert.match(text, /Something had changed since you opened this page, so nothing was done/);
    assert.match(text, /name="cents" value="0"/);
    assert.match(text, /The last day for a refund was December\s21/);
  });

  test('pressed twice at once, or again later, she has cancelled once', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, press } = ownPage;
    const cookie = await enter();
    const both = await Promise.all([1, 2].map(() => press(cookie, formPaths.cancel, asShown).expect(303)));
    assert.deepEqual(both.map(newsOf), ['cancelled', 'cancelled']);
    const decision = await decisionOf(ownPage);
    for (const [hours, news] of [
      [1, 'cancelled'],
      [24, undefined],
    ] as const) {
      ownPage.pass(hours * 60);
      assert.equal(newsOf(await press(cookie, formPaths.cancel, asShown).expect(303)), news);
    }
    assert.deepEqual(await decisionOf(ownPage), decision);
  });

  test('not while a payment is disputed: the page leads to the office', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, press, see, sandbox, stripe, payment } = ownPage;
    const cookie = await enter();
    const { latest_charge } = await stripe.paymentIntents.retrieve(payment);
    sandbox.bank.openDispute(String(latest_charge));
    await ownPage.sync(ownPage.registration);
    assert.equal((await see(cookie, formPaths.cancel).expect(303)).headers.location, OWN_PAGE_PATH);
    assert.equal(newsOf(await press(cookie, formPaths.cancel, asShown).expect(303)), 'changed');
    assert.equal(await decisionOf(ownPage), undefined);
    assert.match((await see(cookie)).text, /While a payment is disputed, the office does that for you/);
  });

  test('while the register is away nothing is done, and she sees that; while Stripe and Redis are away it works', async (t) => {
    let isAway = false;
    const ownPage = await startOwnPage(t, {
      intercept: () => (isAway ? { kind: 'reset', carryOut: false } : undefined),
    });
    const { enter, press, redis, databaseUrl } = ownPage;
    await payBalance(ownPage);
    const cookie = await enter();
    const leave = await occupy(t, openTestDatabase(t, databaseUrl));
    const { text } = await press(cookie, formPaths.cancel, asShown).expect(503);
    assert.match(text, /your cancellation may not be recorded/);
    assert.match(text, /what counts is when you write.*href="\/place".*mailto:/s);
    await leave();
    assert.equal(await decisionOf(ownPage), undefined);
    isAway = true;
    await redis.stop();
    assert.equal(newsOf(await press(cookie, formPaths.cancel, asShown).expect(303)), 'cancelled');
    assert.ok(await decisionOf(ownPage));
  });
});

describe('she undoes her cancellation', () => {
  /** Somebody who has paid both, and cancelled at the last moment. */
  async function startCancelled(t: TestContext) {
    const ownPage = await startPaid(t);
    ownPage.clock.now = LAST;
    const cookie = await ownPage.enter();
    await ownPage.press(cookie, formPaths.cancel, asPaid).expect(303);
    return { ...ownPage, cookie };
  }

  test('with the proof within 24 hours, to the millisecond; once, however often it is pressed', async (t) => {
    const ownPage = await startCancelled(t);
    const { cookie, press, see, clock } = ownPage;
    clock.now = new Date(LAST.getTime() + 24 * HOUR_MS - 1);
    assert.match((await see(cookie)).text, /href="\/place\/undo"/);
    const form = await see(cookie, formPaths.undo).expect(200);
    assert.match(form.text, /Keep your place.*Last four digits of your phone number/s);
    const [answer, twice] = await Promise.all(
      [1, 2].map(() => press(cookie, formPaths.undo, proven).expect(303)),
    );
    assert.ok(answer && twice);
    assert.deepEqual(
      [answer.headers.location, newsOf(answer), newsOf(twice)],
      [OWN_PAGE_PATH, 'kept', 'kept'],
    );
    assert.deepEqual(await decisionOf(ownPage), { kind: 'withdrawal', at: clock.now, by: HERSELF });
    const { text } = await see(`${cookie}; ${newsCookieOf(answer)}`).expect(200);
    assert.match(text, /Your place is yours again.*Everything is paid.*id="days"/s);
    // She can cancel again, under the rules of that moment.
    const late = { ...asPaid, cents: 0 };
    assert.equal(newsOf(await press(cookie, formPaths.cancel, late).expect(303)), 'cancelled');
    assert.equal((await decisionOf(ownPage))?.writtenAt, clock.now.toISOString());
  });

  test('not if she has not cancelled, or the cancellation is carried out', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, press, database, registration, clock, see } = ownPage;
    const cookie = await enter();
    assert.equal(newsOf(await press(cookie, formPaths.undo, proven).expect(303)), 'changed');
    assert.deepEqual(ownPage.writes(), []);
    await press(cookie, formPaths.cancel, asShown).expect(303);
    await recordAct(database, registration, 'cancelled', { at: clock.now, cents: 0, checkCents: 0 });
    assert.equal(newsOf(await press(cookie, formPaths.undo, proven).expect(303)), 'changed');
    assert.match((await see(cookie)).text, /The deposit is non-refundable, and the balance was not charged/);
  });
});
