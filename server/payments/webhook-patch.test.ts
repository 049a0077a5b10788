import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

describe('POST /webhooks/stripe shows at once', () => {
  test('that a deposit was declined, and then paid', async (t) => {
    const { id, stripe, pay, tell, stateShown } = await startRegistered(t);
    assert.equal(await stateShown(), undefined);
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

    const metadata = {
      site: 'online-retreat',
      kind: 'balance',
      edition: edition.facts.id,
      deposit: id,
      'before-fee': '70000',
    };
    const balance = await stripe.paymentIntents.create({
      ...{ amount: 72_625, currency: 'usd', customer: String(customer), metadata },
      ...{ confirm: true, payment_method: 'pm_card_visa' },
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
  });

  test('nothing of another shop', async (t) => {
    const { stripe, tell, readModel } = await startRegistered(t);
    const payment = { amount: 72_100, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' };
    const foreign = await stripe.paymentIntents.create(payment);
    const refund = await stripe.refunds.create({ payment_intent: foreign.id });
    await tell('refund.created', refund).expect(200);
    await tell('payment_intent.succeeded', foreign).expect(200);
    assert.deepEqual(await readModel.list(edition), []);
  });

  test('or leaves it to the walk: what cannot be shown does not fail the webhook', async (t) => {
    const site = await startRegistered(t);
    const canceled = await site.stripe.paymentIntents.cancel(site.id);
    await site.redis.stop();
    await site.tell('payment_intent.canceled', canceled).expect(200);
    const line = /"level":"warn".*"paymentIntent":"pi_\w+".*The list of registrations could not be updated/;
    assert.match(site.log.text(), line);
    await site.redis.start();
    await site.sandbox.close();
    await site.tell('payment_intent.canceled', canceled).expect(200);
    assert.doesNotMatch(site.log.text(), /Wilma|wilma@/);
  });
});
