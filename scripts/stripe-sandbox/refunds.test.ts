import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connect, SANDBOX_KEYS } from './sandbox.ts';
import { startLoggedSandbox, startWebhookEndpoint, verifyEvent } from './test-sandbox.ts';

/** A sandbox with a payment of $721.00 by this card, and its events from then on. */
async function startWithPayment(t: TestContext, payment_method = 'pm_card_visa') {
  const running = await startLoggedSandbox(t);
  const { stripe, sandbox } = running;
  const customer = (await stripe.customers.create({})).id;
  const payment = { amount: 72_100, currency: 'usd', customer, payment_method, confirm: true } as const;
  const intent = await stripe.paymentIntents.create(payment);
  const charge = String(intent.latest_charge);
  const endpoint = await startWebhookEndpoint(t);
  sandbox.setWebhookUrl(endpoint.url);
  const nextEvent = async () => verifyEvent(stripe, await endpoint.next());
  const chargeNow = async () => {
    const { amount_refunded, refunded } = await stripe.charges.retrieve(charge);
    return { amount_refunded, refunded };
  };
  return { ...running, customer, intent, charge, chargeNow, nextEvent };
}

test('a refund gives back a part, the next one the rest, and nothing is left', async (t) => {
  const { stripe, intent, charge, chargeNow, customer } = await startWithPayment(t);
  const part = await stripe.refunds.create({
    payment_intent: intent.id,
    amount: 20_000,
    reason: 'requested_by_customer',
    metadata: { by: 'office' },
  });
  assert.deepEqual(
    [part.status, part.amount, part.charge, part.payment_intent, part.payment_method, part.customer],
    ['succeeded', 20_000, charge, intent.id, intent.payment_method, customer],
  );
  assert.deepEqual([part.reason, part.metadata], ['requested_by_customer', { by: 'office' }]);
  assert.deepEqual(await chargeNow(), { amount_refunded: 20_000, refunded: false });
  const refusal = /^Refund amount \(\$521\.01\) is greater than unrefunded amount on charge \(\$521\.00\)$/;
  await assert.rejects(stripe.refunds.create({ charge, amount: 52_101 }), {
    statusCode: 400,
    code: undefined,
    param: 'amount',
    message: refusal,
  });
  const rest = await stripe.refunds.create({ charge });
  assert.equal(rest.amount, 52_100);
  assert.deepEqual(await chargeNow(), { amount_refunded: 72_100, refunded: true });
  await assert.rejects(stripe.refunds.create({ charge }), { code: 'charge_already_refunded' });
  assert.deepEqual(await stripe.refunds.retrieve(part.id), part);
  const ids = async (filter: { charge?: string; payment_intent?: string }) =>
    (await stripe.refunds.list(filter)).data.map(({ id }) => id);
  assert.deepEqual(await ids({ charge }), [rest.id, part.id]);
  assert.deepEqual(await ids({ payment_intent: intent.id }), [rest.id, part.id]);
  assert.deepEqual(await ids({ payment_intent: 'pi_other' }), []);
});

test('impossible refunds are refused', async (t) => {
  const { stripe, sandbox, browser, charge } = await startWithPayment(t);
  const intent = await stripe.paymentIntents.create({ amount: 72_100, currency: 'usd' });
  const unpaid = {
    message: `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
  };
  await assert.rejects(stripe.refunds.create({ payment_intent: intent.id }), unpaid);
  const declined = await browser.pay(intent, '4000000000000002');
  await assert.rejects(stripe.refunds.create({ charge: declined.body.error.charge }), unpaid);
  await assert.rejects(stripe.refunds.create({}), { message: /payment_intent or charge/ });
  await assert.rejects(stripe.refunds.create({ charge, amount: 0 }), {
    code: 'parameter_invalid_integer',
    param: 'amount',
  });
  await assert.rejects(stripe.refunds.create({ charge: 'ch_gone' }), { code: 'resource_missing' });
  await assert.rejects(stripe.refunds.create({ charge, reason: 'mood' }), { param: 'reason' });
  await assert.rejects(stripe.refunds.retrieve('re_gone'), { statusCode: 404, code: 'resource_missing' });
  const publishable = connect(sandbox, SANDBOX_KEYS.publishableKey);
  await assert.rejects(publishable.refunds.create({ charge }), { statusCode: 403 });
});

test('R4.5 a refund repeated with its idempotency key is made once', async (t) => {
  const { stripe, charge, chargeNow } = await startWithPayment(t);
  const refund = () => stripe.refunds.create({ charge, amount: 100 }, { idempotencyKey: 'cancelled' });
  assert.equal((await refund()).id, (await refund()).id);
  assert.equal((await chargeNow()).amount_refunded, 100);
});

test('a refund and a change of its metadata are reported by signed events', async (t) => {
  const { stripe, charge, nextEvent } = await startWithPayment(t);
  const refund = await stripe.refunds.create({ charge, amount: 100 }, { idempotencyKey: 'back' });
  const created = await nextEvent();
  assert.ok(created.type === 'refund.created');
  assert.deepEqual([created.data.object.id, created.request?.idempotency_key], [refund.id, 'back']);
  const refunded = await nextEvent();
  assert.ok(refunded.type === 'charge.refunded');
  assert.deepEqual([refunded.data.object.id, refunded.data.object.amount_refunded], [charge, 100]);
  await stripe.refunds.update(refund.id, { metadata: { seen: 'yes' } });
  const updated = await nextEvent();
  assert.ok(updated.type === 'refund.updated');
  assert.deepEqual(updated.data.object.metadata, { seen: 'yes' });
});

test('a pending refund already counts as refunded, and succeeds later', async (t) => {
  const { stripe, sandbox, charge, chargeNow, nextEvent } = await startWithPayment(
    t,
    'pm_card_pendingRefund',
  );
  const refund = await stripe.refunds.create({ charge });
  assert.deepEqual([refund.status, refund.pending_reason], ['pending', 'processing']);
  await assert.rejects(stripe.refunds.create({ charge }), { code: 'charge_already_refunded' });
  assert.deepEqual(
    [(await nextEvent()).type, (await nextEvent()).type],
    ['refund.created', 'charge.refunded'],
  );
  sandbox.bank.settleRefund(refund.id);
  const updated = await nextEvent();
  assert.ok(updated.type === 'refund.updated');
  assert.deepEqual([updated.data.object.status, updated.request?.id], ['succeeded', null]);
  assert.equal((await stripe.refunds.retrieve(refund.id)).status, 'succeeded');
  assert.deepEqual(await chargeNow(), { amount_refunded: 72_100, refunded: true });
  assert.throws(() => sandbox.bank.settleRefund(refund.id), /status of succeeded/);
});

test('a refund that succeeded fails later, and no longer counts as refunded', async (t) => {
  const { stripe, sandbox, charge, chargeNow, nextEvent } = await startWithPayment(t, 'pm_card_refundFail');
  const refund = await stripe.refunds.create({ charge, amount: 70_000 });
  assert.equal(refund.status, 'succeeded');
  assert.deepEqual(
    [(await nextEvent()).type, (await nextEvent()).type],
    ['refund.created', 'charge.refunded'],
  );
  sandbox.bank.settleRefund(refund.id);
  assert.equal((await nextEvent()).type, 'refund.updated');
  const failed = await nextEvent();
  assert.ok(failed.type === 'refund.failed');
  assert.deepEqual(
    [failed.data.object.status, failed.data.object.failure_reason],
    ['failed', 'expired_or_canceled_card'],
  );
  assert.deepEqual(await chargeNow(), { amount_refunded: 0, refunded: false });
  assert.equal((await stripe.refunds.list({ charge })).data[0]?.status, 'failed');
});
