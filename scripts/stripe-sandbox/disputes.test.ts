import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startLoggedSandbox, startWebhookEndpoint, verifyEvent } from './test-sandbox.ts';

const payment = { amount: 72_100, currency: 'usd', confirm: true } as const;

async function startWithEvents(t: TestContext) {
  const endpoint = await startWebhookEndpoint(t);
  const running = await startLoggedSandbox(t, { webhookUrl: endpoint.url });
  const nextEvent = async () => verifyEvent(running.stripe, await endpoint.next());
  return { ...running, nextEvent };
}

for (const [payment_method, reason] of [
  ['pm_card_createDispute', 'fraudulent'],
  ['pm_card_createDisputeProductNotReceived', 'product_not_received'],
] as const) {
  test(`the test card for a dispute opens one: ${reason}`, async (t) => {
    const { stripe, nextEvent } = await startWithEvents(t);
    const intent = await stripe.paymentIntents.create({ ...payment, payment_method });
    assert.equal(intent.status, 'succeeded');
    const charge = await stripe.charges.retrieve(String(intent.latest_charge));
    assert.equal(charge.disputed, true);
    const [dispute, ...others] = (await stripe.disputes.list({ payment_intent: intent.id })).data;
    assert.ok(dispute && others.length === 0);
    assert.deepEqual(
      [dispute.amount, dispute.charge, dispute.payment_intent, dispute.reason, dispute.status],
      [72_100, charge.id, intent.id, reason, 'needs_response'],
    );
    assert.deepEqual(await stripe.disputes.retrieve(dispute.id), dispute);
    const types = [(await nextEvent()).type, (await nextEvent()).type, (await nextEvent()).type];
    assert.deepEqual(types, ['payment_intent.created', 'charge.dispute.created', 'payment_intent.succeeded']);
  });
}

for (const outcome of ['won', 'lost'] as const) {
  test(`a test opens a dispute, and closes it as ${outcome}`, async (t) => {
    const { stripe, sandbox, nextEvent } = await startWithEvents(t);
    const intent = await stripe.paymentIntents.create({ ...payment, payment_method: 'pm_card_visa' });
    const charge = String(intent.latest_charge);
    await nextEvent();
    await nextEvent();
    const id = sandbox.bank.openDispute(charge);
    const opened = await nextEvent();
    assert.ok(opened.type === 'charge.dispute.created');
    assert.deepEqual([opened.data.object.id, opened.data.object.charge], [id, charge]);
    assert.throws(() => sandbox.bank.openDispute(charge), /disputed already/);
    await assert.rejects(stripe.refunds.create({ charge }), { code: 'charge_disputed', statusCode: 400 });
    sandbox.bank.closeDispute(id, outcome);
    const closed = await nextEvent();
    assert.ok(closed.type === 'charge.dispute.closed');
    assert.equal(closed.data.object.status, outcome);
    assert.throws(() => sandbox.bank.closeDispute(id, 'lost'), /already closed/);
    assert.equal((await stripe.charges.retrieve(charge)).disputed, true);
    if (outcome === 'lost') assert.throws(() => sandbox.bank.openDispute(charge), /disputed already/);
    else sandbox.bank.closeDispute(sandbox.bank.openDispute(charge), 'won');
    const refund = stripe.refunds.create({ charge });
    if (outcome === 'won') assert.equal((await refund).status, 'succeeded');
    else await assert.rejects(refund, { code: 'charge_disputed' });
  });
}

test('only a charge that succeeded can be disputed, and unknown ids are missing', async (t) => {
  const { stripe, sandbox, browser } = await startLoggedSandbox(t);
  const intent = await stripe.paymentIntents.create({ amount: 72_100, currency: 'usd' });
  const declined = await browser.pay(intent, '4000000000000002');
  assert.throws(() => sandbox.bank.openDispute(declined.body.error.charge), /has not succeeded/);
  assert.throws(() => sandbox.bank.openDispute('ch_gone'), /No such charge/);
  await assert.rejects(stripe.disputes.retrieve('du_gone'), { statusCode: 404, code: 'resource_missing' });
});
