import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLoggedSandbox } from './test-sandbox.ts';

const payment = { amount: 72_100, currency: 'usd' } as const;

test('R4.3 a 3-D Secure challenge succeeds, fails, or ends in a decline', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const attempt = async (number: string, outcome: string) => {
    const intent = await stripe.paymentIntents.create(payment);
    const waiting = await browser.pay(intent, number);
    assert.deepEqual([waiting.status, waiting.body.status], [200, 'requires_action']);
    assert.equal(waiting.body.next_action.type, 'use_stripe_sdk');
    const path = `/sandbox/payment_intents/${intent.id}/challenge`;
    const forged = await browser.call(path, { client_secret: `${intent.id}_secret_no`, outcome });
    assert.equal(forged.body.error.code, 'payment_intent_invalid_parameter');
    return (await browser.call(path, { client_secret: intent.client_secret ?? '', outcome })).body;
  };
  assert.equal((await attempt('4000002500003155', 'authenticated')).status, 'succeeded');
  assert.equal((await attempt('4000000000003220', 'authenticated')).status, 'succeeded');
  const failed = await attempt('4000000000003220', 'failed');
  assert.equal(failed.status, 'requires_payment_method');
  assert.equal(failed.last_payment_error.code, 'payment_intent_authentication_failure');
  const declined = await attempt('4000008400001629', 'authenticated');
  assert.equal(declined.last_payment_error.code, 'card_declined');
});

test('R4.3 only an authenticated 3-D Secure payment is charged', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const attempt = async (number: string, outcome: string) => {
    const intent = await stripe.paymentIntents.create(payment);
    await browser.pay(intent, number);
    const path = `/sandbox/payment_intents/${intent.id}/challenge`;
    await browser.call(path, { client_secret: intent.client_secret ?? '', outcome });
    const { data } = await stripe.charges.list({ payment_intent: intent.id });
    return data.map(({ status }) => status);
  };
  assert.deepEqual(await attempt('4000000000003220', 'failed'), []);
  assert.deepEqual(await attempt('4000000000003220', 'authenticated'), ['succeeded']);
  assert.deepEqual(await attempt('4000008400001629', 'authenticated'), ['failed']);
});

test('R4.3 after an abandoned 3-D Secure challenge another card pays', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const intent = await stripe.paymentIntents.create(payment);
  assert.equal((await browser.pay(intent, '4000000000003220')).body.status, 'requires_action');
  const paid = await browser.pay(intent, '5555555555554444');
  assert.deepEqual([paid.body.status, paid.body.next_action], ['succeeded', null]);
  const { payment_method } = await stripe.paymentIntents.retrieve(intent.id);
  assert.equal((await stripe.paymentMethods.retrieve(String(payment_method))).card?.last4, '4444');
  assert.equal((await stripe.charges.list({ payment_intent: intent.id })).data.length, 1);
});

test('R4.4 after an abandoned 3-D Secure challenge another card is declined, and a new challenge succeeds', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const intent = await stripe.paymentIntents.create(payment);
  const client_secret = intent.client_secret ?? '';
  const challenge = `/sandbox/payment_intents/${intent.id}/challenge`;
  await browser.pay(intent, '4000000000003220');
  const declined = await browser.pay(intent, '4000000000000002');
  assert.equal(declined.body.error.payment_intent.status, 'requires_payment_method');
  const closed = await browser.call(challenge, { client_secret, outcome: 'authenticated' });
  assert.equal(closed.body.error.code, 'payment_intent_unexpected_state');
  await browser.pay(intent, '4000000000003220');
  assert.equal((await browser.pay(intent, '4000000000003220')).body.status, 'requires_action');
  const paid = await browser.call(challenge, { client_secret, outcome: 'authenticated' });
  assert.equal(paid.body.status, 'succeeded');
});

test('R4.4 a canceled intent cannot be confirmed, nor its challenge answered', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const intent = await stripe.paymentIntents.create(payment);
  await browser.pay(intent, '4000000000003220');
  await stripe.paymentIntents.cancel(intent.id);
  const late = await browser.pay(intent, '4242424242424242');
  assert.deepEqual([late.status, late.body.error.code], [400, 'payment_intent_unexpected_state']);
  assert.match(
    late.body.error.message,
    /^You cannot confirm this PaymentIntent because .* status of canceled/,
  );
  assert.equal(late.body.error.payment_intent.status, 'canceled');
  const path = `/sandbox/payment_intents/${intent.id}/challenge`;
  const values = { client_secret: intent.client_secret ?? '', outcome: 'authenticated' };
  assert.equal((await browser.call(path, values)).body.error.code, 'payment_intent_unexpected_state');
  assert.equal((await stripe.charges.list()).data.length, 0);
});
