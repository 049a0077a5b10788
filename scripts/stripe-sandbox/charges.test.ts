import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import * as v from 'valibot';
import type { Sandbox } from './sandbox.ts';
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

/** $721.00, or a part of it, that a dispute withdraws with its fee, and that comes back without. */
const withdrawn = (cents: number, fee = 1_500) => ['dispute', -cents, fee, -cents - fee];
const reinstated = (cents: number) => ['dispute_reversal', cents, 0, cents];

type Opening = NonNullable<Parameters<Sandbox['bank']['openDispute']>[1]>;
type Status = Parameters<Sandbox['bank']['moveDispute']>[1];

const inquiry: Opening = { status: 'warning_needs_response' };

/** How it goes on, the events that tell so, what moves, and whether the charge can be refunded then. */
type Course = [Opening, Status[], events: string, moved: (string | number)[][], isRefundable: boolean];

const COURSES: Record<string, Course> = {
  'that is open': [{}, [], 'created funds_withdrawn', [withdrawn(72_100)], false],
  'that is won': [
    {},
    ['under_review', 'won'],
    'created funds_withdrawn updated funds_reinstated closed',
    [withdrawn(72_100), reinstated(72_100)],
    true,
  ],
  'that is lost': [{}, ['lost'], 'created funds_withdrawn closed', [withdrawn(72_100)], false],
  'that is lost, appealed, and won after all': [
    {},
    ['lost', 'appeal_needs_response', 'won'],
    'created funds_withdrawn closed updated funds_reinstated closed',
    [withdrawn(72_100), reinstated(72_100)],
    true,
  ],
  'about a part, which is won': [
    { amount: 20_000 },
    ['won'],
    'created funds_withdrawn funds_reinstated closed',
    [withdrawn(20_000), reinstated(20_000)],
    true,
  ],
  'that is an inquiry, and closed': [inquiry, ['warning_closed'], 'created closed', [], true],
  'that is an inquiry, turns into a dispute, and is lost': [
    inquiry,
    ['needs_response', 'lost'],
    'created funds_withdrawn updated closed',
    [withdrawn(72_100)],
    false,
  ],
  'that is prevented': [
    { status: 'prevented' },
    [],
    'created funds_withdrawn',
    [withdrawn(72_100, 0)],
    false,
  ],
};

// https://docs.stripe.com/disputes/how-disputes-work, https://docs.stripe.com/api/disputes/object,
// https://docs.stripe.com/api/events/types and https://docs.stripe.com/error-codes#charge-disputed;
// that an inquiry moves nothing is recorded in woocommerce-payments pull request 1051
for (const [name, [opening, statuses, events, moved, isRefundable]] of Object.entries(COURSES))
  test(`a dispute ${name}: its events, what it moves, and whether the charge can be refunded`, async (t) => {
    const { stripe, sandbox, charge, refund, changes, told } = await startWithPayment(t);
    const id = sandbox.bank.openDispute(charge, opening);
    for (const status of statuses) sandbox.bank.moveDispute(id, status);
    const last = await told(...events.split(' ').map((event) => `charge.dispute.${event}`));
    const dispute = await stripe.disputes.retrieve(id);
    assert.deepEqual(last, dispute);
    assert.equal(dispute.status, statuses.at(-1) ?? opening.status ?? 'needs_response');
    assert.deepEqual(dispute.balance_transactions.map(sumsOf), moved);
    assert.deepEqual((await changes()).slice(0, -1).map(sumsOf), moved.toReversed());
    assert.equal((await stripe.charges.retrieve(charge)).disputed, true);
    assert.equal(dispute.is_charge_refundable, isRefundable);
    if (isRefundable) assert.equal((await refund()).status, 'succeeded');
    else await assert.rejects(refund(), { code: 'charge_disputed', statusCode: 400 });
  });

test('a charge is disputed once for each part of it; a full refund closes an inquiry', async (t) => {
  const { sandbox, charge, refund, told } = await startWithPayment(t);
  const { bank } = sandbox;
  const id = bank.openDispute(charge, inquiry);
  assert.throws(() => bank.openDispute(charge), /disputed already/);
  assert.throws(() => bank.closeDispute(id, 'won'), /status of warning_needs_response does not become won/);
  await refund();
  // Recorded in woocommerce-payments pull request 738.
  const closed = await told(
    'charge.dispute.created',
    'refund.created',
    'charge.refunded',
    'charge.dispute.closed',
  );
  assert.deepEqual([closed.id, closed.status], [id, 'warning_closed']);
});

// https://docs.stripe.com/refunds and https://docs.stripe.com/changelog/basil/2025-04-30/refund-pending-reason
test('a refund that the balance does not cover waits, and moves the balance once it succeeds', async (t) => {
  const { sandbox, refund, changes, told } = await startWithPayment(t);
  sandbox.bank.lackFunds(true);
  const { id, status, pending_reason, balance_transaction } = await refund(20_000);
  assert.deepEqual([status, pending_reason, balance_transaction], ['pending', 'insufficient_funds', null]);
  assert.equal((await changes()).length, 1);
  sandbox.bank.settleRefund(id);
  const settled = await told('refund.created', 'charge.refunded', 'refund.updated');
  assert.deepEqual([settled.status, settled.pending_reason], ['succeeded', undefined]);
  const [change] = await changes();
  assert.ok(change && change.id === settled.balance_transaction);
  assert.deepEqual(sumsOf(change), ['refund', -20_000, 0, -20_000]);
});

// https://docs.stripe.com/api/refunds/cancel has the body of a cancelled refund
for (const [why, card, returned] of [
  ['for funds', 'pm_card_visa', []],
  ['for the bank', 'pm_card_pendingRefund', ['refund_failure', 'refund']],
] as const)
  test(`a refund that waits ${why} can be cancelled by hand, and counts no more`, async (t) => {
    const { sandbox, refund, refunded, changes, told } = await startWithPayment(t, card);
    sandbox.bank.lackFunds(why === 'for funds');
    const { id } = await refund();
    sandbox.bank.cancelRefund(id);
    const canceled = await told('refund.created', 'charge.refunded', 'refund.updated');
    assert.deepEqual([canceled.status, canceled.failure_reason], ['canceled', 'merchant_request']);
    const kinds = (await changes()).map(({ reporting_category }) => reporting_category);
    assert.deepEqual([await refunded(), kinds], [0, [...returned, 'charge']]);
    assert.throws(() => sandbox.bank.cancelRefund(id), /status of canceled, which stays/);
  });

// https://docs.stripe.com/payments/payment-intents/asynchronous-capture
test('the balance transaction of a charge comes after the answer and payment_intent.succeeded', async (t) => {
  const { stripe, sandbox, told, changes } = await startWithPayment(t);
  sandbox.bank.delayBalance(true);
  const { latest_charge } = await stripe.paymentIntents.create({ ...paid, expand: ['latest_charge'] });
  assert.ok(latest_charge && typeof latest_charge === 'object');
  assert.equal(latest_charge.balance_transaction, null);
  assert.equal((await changes()).length, 1);
  sandbox.bank.delayBalance(false);
  const settled = await told('payment_intent.created', 'payment_intent.succeeded', 'charge.updated');
  assert.deepEqual([settled.id, settled.balance_transaction], [latest_charge.id, (await changes())[0]?.id]);
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
