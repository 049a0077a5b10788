import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownMarksOfBalance } from '#server/record/payment-at-stripe.ts';
import { textOf } from '#server/testing/test-database.ts';
import { startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

describe('POST /webhooks/stripe records at once', () => {
  test('that a deposit was declined, and then paid', async (t) => {
    const { id, stripe, pay, tell, stateShown } = await startRegistered(t);
    assert.equal(await stateShown(), 'begun');
    const card = { payment_method: 'pm_card_visa_chargeDeclined' };
    await assert.rejects(stripe.paymentIntents.confirm(id, card), { code: 'card_declined' });
    await tell('payment_intent.payment_failed', await stripe.paymentIntents.retrieve(id)).expect(200);
    assert.equal(await stateShown(), 'begun');
    await tell('payment_intent.succeeded', await pay()).expect(200);
    assert.equal(await stateShown(), 'registered');
  });

  test('that a deposit was cancelled', async (t) => {
    const { id, stripe, tell, stateShown } = await startRegistered(t);
    await tell('payment_intent.canceled', await stripe.paymentIntents.cancel(id)).expect(200);
    assert.equal(await stateShown(), 'closed');
  });

  test('refunds and disputes, of the deposit and of the balance', async (t) => {
    const { id, stripe, sandbox, pay, tell, shown } = await startRegistered(t);
    const refundsShown = async () => (await shown())?.refunds.map(({ of, cents }) => [of, cents]);
    const { customer } = await pay();
    const refund = await stripe.refunds.create({ payment_intent: id, amount: 100 });
    await tell('refund.created', refund).expect(200);
    assert.deepEqual(await refundsShown(), [['deposit', 100]]);

    const sums = { byCardCents: 72_625, beforeFeeCents: 70_000 };
    const metadata = ownMarksOfBalance(edition.facts, id, sums);
    const balance = await stripe.paymentIntents.create({
      amount: 72_625,
      currency: 'usd',
      customer: String(customer),
      metadata,
      confirm: true,
      payment_method: 'pm_card_visa',
    });
    const chargeId = String(balance.latest_charge);
    await stripe.refunds.create({ charge: chargeId, amount: 50 });
    await tell('charge.refunded', await stripe.charges.retrieve(chargeId)).expect(200);
    assert.deepEqual(await refundsShown(), [
      ['deposit', 100],
      ['balance', 50],
    ]);
    assert.equal((await shown())?.balance?.status, 'paid');
    assert.equal((await shown())?.disputed, false);

    const dispute = await stripe.disputes.retrieve(sandbox.bank.openDispute(chargeId));
    await tell('charge.dispute.created', dispute).expect(200);
    assert.equal((await shown())?.disputed, true);
    const evidenceDue = new Date(Number(dispute.evidence_details.due_by) * 1000);
    const recorded = {
      id: dispute.id,
      charge: chargeId,
      of: 'balance',
      cents: 72_625,
      reason: 'fraudulent',
      evidenceDue,
      at: new Date(dispute.created * 1000),
    };
    assert.deepEqual((await shown())?.disputes, [{ ...recorded, status: 'needs_response', isOver: false }]);
    sandbox.bank.closeDispute(dispute.id, 'lost');
    await tell('charge.dispute.closed', await stripe.disputes.retrieve(dispute.id)).expect(200);
    assert.deepEqual((await shown())?.disputes, [{ ...recorded, status: 'lost', isOver: true }]);
  });

  test('nothing of another shop', async (t) => {
    const { stripe, tell, database } = await startRegistered(t);
    const payment = { amount: 72_100, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' };
    const foreign = await stripe.paymentIntents.create(payment);
    const refund = await stripe.refunds.create({ payment_intent: foreign.id });
    await tell('refund.created', refund).expect(200);
    await tell('payment_intent.succeeded', foreign).expect(200);
    assert.ok(!(await textOf(database)).includes(foreign.id));
  });

  test('or fails, so that Stripe sends the event again, when the payment cannot be read', async (t) => {
    const site = await startRegistered(t);
    const canceled = await site.stripe.paymentIntents.cancel(site.id);
    await site.redis.stop();
    await site.tell('payment_intent.canceled', canceled).expect(200);
    assert.equal(await site.stateShown(), 'closed');
    await site.sandbox.close();
    await site.tell('payment_intent.canceled', canceled).expect(504);
    const refund = { id: 're_1', object: 'refund', payment_intent: site.id };
    await site.tell('refund.created', refund).expect(504);
    assert.doesNotMatch(site.log.text(), /Wilma|wilma@/);
  });
});
