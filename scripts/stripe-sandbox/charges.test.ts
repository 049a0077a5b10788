import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import * as v from 'valibot';
import { listen, paid, payment, startLogged } from './test-sandbox.ts';

/** A sandbox with a payment of $721.00 by this card, and its events from then on. */
async function startWithPayment(t: TestContext, payment_method = 'pm_card_visa') {
  const running = await startLogged(t);
  const { stripe, sandbox } = running;
  const customer = (await stripe.customers.create({})).id;
  const intent = await stripe.paymentIntents.create({ ...paid, customer, payment_method });
  const charge = String(intent.latest_charge);
  const endpoint = await listen(t, stripe);
  sandbox.setWebhookUrl(endpoint.url);
  const refunded = async () => (await stripe.charges.retrieve(charge)).amount_refunded;
  /** The types of the next events, and the object of the last. */
  const tell = async (...types: string[]) => {
    const events = [];
    for (const _type of types) events.push(await endpoint.next());
    assert.deepEqual(
      events.map(({ type }) => type),
      types,
    );
    return v.parse(v.looseObject({}), events.at(-1)?.data.object);
  };
  return { ...running, intent, charge, refunded, tell };
}

// https://docs.stripe.com/refunds and https://docs.stripe.com/api/refunds
test('a refund gives back a part, the next one the rest, and nothing is left', async (t) => {
  const { stripe, intent, charge, refunded, tell } = await startWithPayment(t);
  const part = await stripe.refunds.create({
    payment_intent: intent.id,
    amount: 20_000,
    metadata: { by: 'x' },
    reason: 'requested_by_customer',
  });
  assert.deepEqual([part.status, part.charge, part.payment_intent], ['succeeded', charge, intent.id]);
  assert.deepEqual([part.reason, part.metadata], ['requested_by_customer', { by: 'x' }]);
  const { id, amount_refunded } = await tell('refund.created', 'charge.refunded');
  assert.deepEqual([id, amount_refunded, await refunded()], [charge, 20_000, 20_000]);
  const tooMuch = { statusCode: 400, code: undefined, param: 'amount' };
  await assert.rejects(stripe.refunds.create({ charge, amount: 52_101 }), tooMuch);
  const rest = await stripe.refunds.create({ charge });
  assert.deepEqual([rest.amount, await refunded()], [52_100, 72_100]);
  await assert.rejects(stripe.refunds.create({ charge }), { code: 'charge_already_refunded' });
  for (const filter of [{ charge }, { payment_intent: intent.id }]) {
    const { data } = await stripe.refunds.list(filter);
    const ids = data.map((refund) => refund.id);
    assert.deepEqual(ids, [rest.id, part.id]);
  }
  await stripe.refunds.update(part.id, { metadata: { by: '' } });
  const changed = await tell('refund.created', 'charge.refunded', 'refund.updated');
  assert.deepEqual(changed, { ...(await stripe.refunds.retrieve(part.id)), metadata: {} });
  const unpaid = await stripe.paymentIntents.create(payment);
  const noCharge = { message: /does not have a successful charge to refund/ };
  await assert.rejects(stripe.refunds.create({ payment_intent: unpaid.id }), noCharge);
});

// https://docs.stripe.com/testing#refunds
test('a pending refund already counts as refunded, and succeeds later', async (t) => {
  const { stripe, sandbox, charge, refunded, tell } = await startWithPayment(t, 'pm_card_pendingRefund');
  const refund = await stripe.refunds.create({ charge });
  assert.deepEqual([refund.status, await refunded()], ['pending', 72_100]);
  sandbox.bank.settleRefund(refund.id);
  const { status } = await tell('refund.created', 'charge.refunded', 'refund.updated');
  assert.deepEqual([status, await refunded()], ['succeeded', 72_100]);
  assert.throws(() => sandbox.bank.settleRefund(refund.id), /status of succeeded/);
});

// https://docs.stripe.com/testing#refunds and https://docs.stripe.com/refunds#failed-refunds
test('a refund that succeeded fails later, and no longer counts as refunded', async (t) => {
  const { stripe, sandbox, charge, refunded, tell } = await startWithPayment(t, 'pm_card_refundFail');
  const refund = await stripe.refunds.create({ charge, amount: 70_000 });
  assert.deepEqual([refund.status, await refunded()], ['succeeded', 70_000]);
  sandbox.bank.settleRefund(refund.id);
  const failed = await tell('refund.created', 'charge.refunded', 'refund.updated', 'refund.failed');
  assert.deepEqual([failed.status, await refunded()], ['failed', 0]);
});

// https://docs.stripe.com/testing#disputes and https://docs.stripe.com/error-codes#charge-disputed
test('a charge cannot be refunded while it is disputed, and then only if the dispute was won', async (t) => {
  for (const [card, reason, outcome] of [
    ['pm_card_createDispute', 'fraudulent', 'won'],
    ['pm_card_createDisputeProductNotReceived', 'product_not_received', 'lost'],
  ] as const) {
    const { stripe, sandbox, intent, charge, tell } = await startWithPayment(t, card);
    const { bank } = sandbox;
    const [dispute, ...others] = (await stripe.disputes.list({ payment_intent: intent.id })).data;
    assert.ok(dispute && others.length === 0);
    assert.deepEqual([dispute.amount, dispute.charge, dispute.reason], [72_100, charge, reason]);
    assert.equal((await stripe.charges.retrieve(charge)).disputed, true);
    assert.throws(() => bank.openDispute(charge), /disputed already/);
    const refused = { code: 'charge_disputed', statusCode: 400 };
    await assert.rejects(stripe.refunds.create({ charge }), refused);
    bank.closeDispute(dispute.id, outcome);
    assert.equal((await tell('charge.dispute.closed')).status, outcome);
    assert.throws(() => bank.closeDispute(dispute.id, 'lost'), /already closed/);
    const refund = stripe.refunds.create({ charge });
    if (outcome === 'won') assert.equal((await refund).status, 'succeeded');
    else await assert.rejects(refund, refused);
  }
});

// https://docs.stripe.com/disputes/how-disputes-work
test('a dispute that the bank opens is told', async (t) => {
  const { sandbox, charge, tell } = await startWithPayment(t);
  const id = sandbox.bank.openDispute(charge);
  const opened = await tell('charge.dispute.created');
  assert.deepEqual([opened.id, opened.charge, opened.status], [id, charge, 'needs_response']);
});

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
