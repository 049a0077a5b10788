import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import * as v from 'valibot';
import { listen, paid, payment, startLogged } from './test-sandbox.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BEGINS = new Date('2026-01-05T22:00:00Z');

const sumsOf = ({ reporting_category, amount, fee, net }: Stripe.BalanceTransaction) => [
  reporting_category,
  amount,
  fee,
  net,
];

/** A sandbox with a payment of $721.00 by this card, and its events from then on. */
async function startWithPayment(t: TestContext, payment_method = 'pm_card_visa') {
  const running = await startLogged(t, { startsAt: BEGINS });
  const { stripe, sandbox } = running;
  const intent = await stripe.paymentIntents.create({ ...paid, payment_method });
  const charge = String(intent.latest_charge);
  const endpoint = await listen(t, stripe);
  sandbox.setWebhookUrl(endpoint.url);
  return {
    ...running,
    charge,
    /** Gives back the payment, or another one; by default all that is left of it. */
    refund: (amount?: number, payment_intent = intent.id) =>
      stripe.refunds.create({ payment_intent, ...(amount && { amount }) }),
    refunded: async () => (await stripe.charges.retrieve(charge)).amount_refunded,
    changes: async (parameters: Stripe.BalanceTransactionListParams = {}) =>
      (await stripe.balanceTransactions.list(parameters)).data,
    /** The types of the next events are these; returns the object of the last. */
    async told(...types: string[]) {
      const events = [];
      for (const _type of types) events.push(await endpoint.next());
      assert.deepEqual(
        events.map(({ type }) => type),
        types,
      );
      return v.parse(v.looseObject({}), events.at(-1)?.data.object);
    },
  };
}

// https://docs.stripe.com/refunds and https://docs.stripe.com/api/refunds
test('a refund gives back a part or the rest of what was paid, and never more', async (t) => {
  const { stripe, charge, refund, refunded, told } = await startWithPayment(t);
  const part = await refund(20_000);
  assert.deepEqual([part.status, part.charge], ['succeeded', charge]);
  const { id, amount_refunded } = await told('refund.created', 'charge.refunded');
  assert.deepEqual([id, amount_refunded], [charge, 20_000]);
  await assert.rejects(refund(52_101), { statusCode: 400, code: undefined, param: 'amount' });
  const rest = await refund();
  assert.deepEqual([rest.amount, await refunded()], [52_100, 72_100]);
  await assert.rejects(refund(), { code: 'charge_already_refunded' });
  const unpaid = await stripe.paymentIntents.create(payment);
  await assert.rejects(refund(1, unpaid.id), { message: /does not have a successful charge to refund/ });
});

// https://docs.stripe.com/testing#refunds and https://docs.stripe.com/refunds#failed-refunds
for (const [card, first, later, left] of [
  ['pm_card_pendingRefund', 'pending', 'succeeded', 72_100],
  ['pm_card_refundFail', 'succeeded', 'failed', 0],
] as const)
  test(`a refund that is first ${first} and later ${later} counts until it has failed`, async (t) => {
    const { sandbox, refund, refunded, told } = await startWithPayment(t, card);
    const { id, status } = await refund();
    assert.deepEqual([status, await refunded()], [first, 72_100]);
    sandbox.bank.settleRefund(id);
    const failed = later === 'failed' ? ['refund.failed'] : [];
    const settled = await told('refund.created', 'charge.refunded', 'refund.updated', ...failed);
    assert.deepEqual([settled.status, await refunded()], [later, left]);
    assert.throws(() => sandbox.bank.settleRefund(id), new RegExp(`status of ${later}`));
  });

// https://docs.stripe.com/disputes/how-disputes-work and https://docs.stripe.com/error-codes#charge-disputed
for (const outcome of ['won', 'lost'] as const)
  test(`a dispute takes the payment and a fee, and prevents refunds until it is over; it is ${outcome}`, async (t) => {
    const { stripe, sandbox, charge, refund, changes, told } = await startWithPayment(t);
    const { bank } = sandbox;
    const id = bank.openDispute(charge);
    const opened = await told('charge.dispute.created');
    assert.deepEqual([opened.id, opened.charge, opened.status], [id, charge, 'needs_response']);
    assert.equal((await stripe.charges.retrieve(charge)).disputed, true);
    assert.throws(() => bank.openDispute(charge), /disputed already/);
    const refused = { code: 'charge_disputed', statusCode: 400 };
    await assert.rejects(refund(), refused);
    bank.closeDispute(id, outcome);
    assert.equal((await told('charge.dispute.closed')).status, outcome);
    assert.throws(() => bank.closeDispute(id, 'lost'), /already closed/);
    assert.deepEqual((await changes()).map(sumsOf), [
      ...(outcome === 'won' ? [['dispute_reversal', 72_100, 0, 72_100]] : []),
      ['dispute', -72_100, 1_500, -73_600],
      ['charge', 72_100, 2_121, 69_979],
    ]);
    if (outcome === 'won') assert.equal((await refund()).status, 'succeeded');
    else await assert.rejects(refund(), refused);
  });

// https://docs.stripe.com/api/balance_transactions/list and https://docs.stripe.com/reports/reporting-categories
test('a refund does not give back Stripe’s fee, a failed one comes back, and a declined charge changes nothing', async (t) => {
  const { stripe, sandbox, charge, refund, changes } = await startWithPayment(t, 'pm_card_refundFail');
  const { id } = await refund(70_000);
  sandbox.bank.settleRefund(id);
  const declined = { ...paid, payment_method: 'pm_card_visa_chargeDeclined' };
  await assert.rejects(stripe.paymentIntents.create(declined));
  const found = await changes({ expand: ['data.source'] });
  assert.deepEqual(found.map(sumsOf), [
    ['refund_failure', 70_000, 0, 70_000],
    ['refund', -70_000, 0, -70_000],
    ['charge', 72_100, 2_121, 69_979],
  ]);
  const sources = found.map(({ source }) => typeof source === 'object' && source?.id);
  assert.deepEqual(sources, [id, id, charge]);
});

// https://docs.stripe.com/payouts/reconciliation and https://docs.stripe.com/payouts#payout-schedule
test('the balance is paid out after two days, a payout’s changes are listed by it, and a negative sum waits', async (t) => {
  const { stripe, sandbox, refund, changes } = await startWithPayment(t);
  const pay = (amount: number) => stripe.paymentIntents.create({ ...paid, amount });
  const after = (days: number) => sandbox.clock.moveTo(new Date(sandbox.clock.now() + days * DAY_MS));
  const payouts = async () => (await stripe.payouts.list()).data;
  await pay(10_000);
  after(1);
  await pay(30_000);
  assert.deepEqual(await payouts(), []);
  after(5);
  const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
  const [second, first] = await payouts();
  assert.ok(second && first);
  assert.deepEqual(
    [second, first].map(({ amount, automatic, arrival_date }) => [amount, automatic, dateOf(arrival_date)]),
    [
      [29_100, true, '2026-01-08'],
      [79_659, true, '2026-01-07'],
    ],
  );
  const kindsOf = async (payout: string) => (await changes({ payout })).map(sumsOf).map(([kind]) => kind);
  assert.deepEqual(await kindsOf(first.id), ['payout', 'charge', 'charge']);
  await refund(20_000);
  after(3);
  assert.equal((await payouts()).length, 2);
  await pay(50_000);
  after(3);
  const [last, ...earlier] = await payouts();
  assert.deepEqual([last?.amount, earlier.length], [50_000 - 1_480 - 20_000, 2]);
  assert.deepEqual(await kindsOf(last?.id ?? ''), ['payout', 'charge', 'refund']);
});
