import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import { startRegistered } from '#server/testing/test-site.ts';
import { openBalance } from './open-balance.ts';

/** A site with a paid balance and an empty queue; no worker runs. */
async function startPaid(t: TestContext, { card = 'pm_card_visa' } = {}) {
  const site = await startRegistered(t, { begins: new Date('2025-12-20T12:00:00-08:00') });
  const { stripe, mailQueue, metrics, payments, clock, id, find } = site;
  await site.pay(card);
  const { id: open } = await openBalance(stripe, await find());
  const balance = await stripe.paymentIntents.confirm(open, { payment_method: card });
  await mailQueue.bullQueue.obliterate();
  return {
    ...site,
    balance,
    async workOffCancelling() {
      const at = clock.now;
      await payments.decide(await find(), 'cancel', { at, by: 'Anna', writtenAt: at });
      clock.now = new Date(at.getTime() + 25 * 60 * 60 * 1000);
      await payments.makeDueRefunds(id, clock.now);
      const refunds = await stripe.refunds.list({ payment_intent: balance.id });
      return refunds.data[0] ?? assert.fail();
    },
    counted: async (line: RegExp) => assert.match(await metrics.metrics(), line),
  };
}

describe('POST /webhooks/stripe for a refund', () => {
  test('that was pending and arrives is shown, and is owed its letters', async (t) => {
    const card = 'pm_card_pendingRefund';
    const { workOffCancelling, tell, stateShown, lettersDue, sandbox, stripe } = await startPaid(t, { card });
    const refund = await workOffCancelling();
    await tell('refund.created', refund).expect(200);
    assert.equal(await stateShown(), 'refund-pending');
    assert.deepEqual(await lettersDue(), ['cancelled']);
    sandbox.bank.settleRefund(refund.id);
    const settled: Stripe.Refund = await stripe.refunds.retrieve(refund.id);
    for (let time = 0; time < 2; time += 1) await tell('refund.updated', settled).expect(200);
    assert.equal(await stateShown(), 'refunded');
    assert.deepEqual(await lettersDue(), ['cancelled']);
  });

  test('that fails at the bank is logged and counted, and shown as a check that the office has to send', async (t) => {
    const card = 'pm_card_refundFail';
    const site = await startPaid(t, { card });
    const { workOffCancelling, tell, stateShown, lettersDue, sandbox, stripe, counted, log, id } = site;
    const refund = await workOffCancelling();
    await tell('refund.created', refund).expect(200);
    assert.equal(await stateShown(), 'refunded');
    await counted(/^refunds_total\{outcome="failed"\} 0$/m);
    sandbox.bank.settleRefund(refund.id);
    const failed = await stripe.refunds.retrieve(refund.id);
    await tell('refund.updated', failed).expect(200);
    await tell('refund.failed', failed).expect(200);
    assert.equal(await stateShown(), 'refund-failed');
    assert.deepEqual(await lettersDue(), ['refund-failed']);
    await counted(/^refunds_total\{outcome="failed"\} 1$/m);
    const words = `"level":"error".*"paymentIntent":"${failed.payment_intent}".*failed at`;
    assert.match(log.text(), new RegExp(words));
    assert.equal((await stripe.refunds.list({ payment_intent: id })).data.length, 0);
  });
});

describe('POST /webhooks/stripe for a dispute', () => {
  test('counts its start and its end, is shown, and moves no money', async (t) => {
    const { tell, sandbox, stripe, balance, find, counted, log } = await startPaid(t);
    const disputeId = sandbox.bank.openDispute(String(balance.latest_charge));
    await tell('charge.dispute.created', await stripe.disputes.retrieve(disputeId)).expect(200);
    await counted(/^disputes_total\{event="opened"\} 1$/m);
    await counted(/^disputes_total\{event="won"\} 0$/m);
    assert.match(log.text(), /"level":"error".*A charge is disputed/);
    sandbox.bank.closeDispute(disputeId, 'won');
    await tell('charge.dispute.closed', await stripe.disputes.retrieve(disputeId)).expect(200);
    await counted(/^disputes_total\{event="won"\} 1$/m);
    assert.equal((await find()).disputed, true);
    assert.deepEqual((await stripe.refunds.list()).data, []);
  });
});
