import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import { paid, startLogged } from './test-sandbox.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BEGINS = new Date('2026-01-05T22:00:00Z');

async function startOn(t: TestContext, startsAt = BEGINS) {
  const running = await startLogged(t, { startsAt });
  const { stripe, sandbox } = running;
  const changes = async (parameters: Stripe.BalanceTransactionListParams = {}) =>
    (await stripe.balanceTransactions.list(parameters)).data;
  return {
    ...running,
    changes,
    pay: (amount = 72_100, payment_method = 'pm_card_visa') =>
      stripe.paymentIntents.create({ ...paid, amount, payment_method }),
    after: (days: number) => sandbox.clock.moveTo(new Date(sandbox.clock.now() + days * DAY_MS)),
  };
}

const sums = ({ reporting_category, amount, fee, net }: Stripe.BalanceTransaction) => [
  reporting_category,
  amount,
  fee,
  net,
];

// https://docs.stripe.com/api/balance_transactions/list and https://docs.stripe.com/reports/reporting-categories
test('what is paid and given back changes the balance, less Stripe’s fee, which a refund does not give back', async (t) => {
  const { stripe, sandbox, pay, changes } = await startOn(t);
  const { latest_charge: charge } = await pay(72_100, 'pm_card_refundFail');
  const refund = await stripe.refunds.create({ charge: String(charge), amount: 70_000 });
  sandbox.bank.settleRefund(refund.id);
  await assert.rejects(pay(72_625, 'pm_card_visa_chargeDeclined'));
  const found = await changes({ expand: ['data.source'] });
  assert.deepEqual(found.map(sums), [
    ['refund_failure', 70_000, 0, 70_000],
    ['refund', -70_000, 0, -70_000],
    ['charge', 72_100, 2_121, 69_979],
  ]);
  const sources = found.map(({ source }) => typeof source === 'object' && source?.id);
  assert.deepEqual(sources, [refund.id, refund.id, charge]);
  const since = Math.floor(BEGINS.getTime() / 1000);
  assert.equal((await changes({ created: { gte: since + 60 * 60 } })).length, 0);
  assert.equal((await changes({ created: { gte: since }, limit: 2 })).length, 2);
});

// https://docs.stripe.com/disputes/how-disputes-work#dispute-fees
test('a dispute takes the payment and a fee, and a won one gives the payment back', async (t) => {
  const { stripe, sandbox, pay, changes } = await startOn(t);
  for (const outcome of ['won', 'lost'] as const) {
    const { id } = await pay(72_100, 'pm_card_createDispute');
    const [dispute] = (await stripe.disputes.list({ payment_intent: id })).data;
    sandbox.bank.closeDispute(dispute?.id ?? '', outcome);
  }
  const disputes = (await changes()).filter((change) => change.reporting_category.startsWith('dispute'));
  assert.deepEqual(disputes.map(sums), [
    ['dispute', -72_100, 1_500, -73_600],
    ['dispute_reversal', 72_100, 0, 72_100],
    ['dispute', -72_100, 1_500, -73_600],
  ]);
});

// https://docs.stripe.com/payouts/reconciliation and https://docs.stripe.com/payouts#payout-schedule
test('the balance is paid out after two days, and a payout’s changes are listed by it', async (t) => {
  const { stripe, pay, changes, after } = await startOn(t);
  await pay(10_000);
  const refunded = await pay(20_000);
  after(1);
  await pay(30_000);
  assert.deepEqual((await stripe.payouts.list()).data, []);
  after(5);
  const payouts = (await stripe.payouts.list()).data;
  assert.deepEqual(
    payouts.map(({ amount, automatic, arrival_date }) => [amount, automatic, dateOf(arrival_date)]),
    [
      [29_100, true, '2026-01-08'],
      [29_070, true, '2026-01-07'],
    ],
  );
  const [, first] = payouts;
  const held = await changes({ payout: first?.id ?? '' });
  assert.deepEqual(
    held.map(({ reporting_category, amount }) => [reporting_category, amount]),
    [
      ['payout', -29_070],
      ['charge', 20_000],
      ['charge', 10_000],
    ],
  );
  assert.equal(
    held.reduce((sum, { net }) => sum + net, 0),
    0,
  );
  // What is below zero waits for money that comes in.
  await stripe.refunds.create({ payment_intent: refunded.id });
  after(3);
  assert.equal((await stripe.payouts.list()).data.length, 2);
  await pay(50_000);
  after(3);
  const [last, ...earlier] = (await stripe.payouts.list()).data;
  assert.equal(earlier.length, 2);
  assert.equal(last?.amount, 50_000 - 1_480 - 20_000);
  const kinds = (await changes({ payout: last?.id ?? '' })).map((change) => change.reporting_category);
  assert.deepEqual(kinds, ['payout', 'charge', 'refund']);
});

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);
