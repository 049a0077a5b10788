import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import { storeCard, stripeError, withoutHer } from './contract.ts';
import { cardForm, listen, paid, payment, startLogged } from './test-sandbox.ts';

/** Charges a stored card while its owner is absent. */
async function chargeAbsent(
  stripe: Stripe,
  { customer, payment_method }: { customer: string; payment_method: string },
) {
  const { id } = await stripe.paymentIntents.create({ amount: 72_625, currency: 'usd', customer });
  return stripe.paymentIntents.confirm(id, { payment_method, ...withoutHer });
}

// https://docs.stripe.com/testing#use-test-cards
test('R4.3 no card number comes back or is logged; what is not a test card is a card error', async (t) => {
  const { stripe, browser, lines } = await startLogged(t);
  const numbers = ['4242424242424242', '378282246310005'];
  for (const number of numbers) {
    const intent = await stripe.paymentIntents.create({ ...payment, receipt_email: 'ada@example.com' });
    const { text, body } = await browser.confirm(intent, number);
    assert.equal(body.status, 'succeeded');
    const method = await stripe.paymentMethods.retrieve(String(body.payment_method));
    assert.equal(method.card?.last4, number.slice(-4));
    assert.ok(!text.includes(number) && !JSON.stringify(method).includes(number));
  }
  await stripe.customers.list({ email: 'ada@example.com' });
  assert.ok(lines.length > 5);
  for (const line of lines) assert.doesNotMatch(line, new RegExp(`${numbers.join('|')}|ada@|_secret_`));
  const send = async (form: Record<string, string>) => (await browser.call('/v1/payment_methods', form)).body;
  assert.match((await send(cardForm('4111111111111111'))).error.message, /test card numbers only/);
  const past = { ...cardForm('4242424242424242'), 'card[exp_year]': '2020' };
  assert.equal((await send(past)).error.code, 'invalid_expiry_year');
  assert.equal((await send(cardForm('378282246310005', '123'))).error.code, 'invalid_cvc');
});

/** Test cards: number, error code, decline code, advice. */
const DECLINED = [
  ['4000000000000002', 'card_declined', 'generic_decline', 'try_again_later'],
  ['4000000000009995', 'card_declined', 'insufficient_funds', 'try_again_later'],
  ['4000000000009987', 'card_declined', 'lost_card', 'do_not_try_again'],
  ['4000000000009979', 'card_declined', 'stolen_card', 'do_not_try_again'],
  ['4000000000006975', 'card_declined', 'card_velocity_exceeded', 'try_again_later'],
  ['4000000000000069', 'expired_card', undefined, 'do_not_try_again'],
  ['4000000000000127', 'incorrect_cvc', undefined, 'confirm_card_data'],
  ['4000000000000119', 'processing_error', undefined, 'try_again_later'],
] as const;

// https://docs.stripe.com/testing#declined-payments and https://docs.stripe.com/declines/codes
test('R4.4 cards are declined with their codes and advice', async (t) => {
  const { stripe, browser } = await startLogged(t);
  for (const [number, code, declineCode, advice] of DECLINED) {
    const intent = await stripe.paymentIntents.create(payment);
    const { status, body } = await browser.confirm(intent, number);
    const { type, advice_code, decline_code, charge, payment_intent } = body.error;
    assert.deepEqual([status, type, body.error.code], [402, 'card_error', code]);
    assert.deepEqual([decline_code, advice_code], [declineCode, advice]);
    assert.equal(payment_intent.status, 'requires_payment_method');
    const { last_payment_error } = await stripe.paymentIntents.retrieve(intent.id);
    assert.deepEqual([last_payment_error?.charge, last_payment_error?.advice_code], [charge, advice]);
  }
});

// https://docs.stripe.com/payments/3d-secure/authentication-flow
test('R4.3 a 3-D Secure challenge succeeds, fails or ends in a decline, and only then the card is charged', async (t) => {
  const { stripe, browser } = await startLogged(t);
  const attempt = async (number: string, outcome: string) => {
    const intent = await stripe.paymentIntents.create(payment);
    const { body } = await browser.confirm(intent, number);
    assert.deepEqual([body.status, body.next_action.type], ['requires_action', 'use_stripe_sdk']);
    const forged = await browser.authenticate({ ...intent, client_secret: `${intent.id}_secret_no` });
    assert.equal(forged.body.error.code, 'payment_intent_invalid_parameter');
    assert.deepEqual((await stripe.charges.list({ payment_intent: intent.id })).data, []);
    const { status, last_payment_error } = (await browser.authenticate(intent, outcome)).body;
    const { data } = await stripe.charges.list({ payment_intent: intent.id });
    return [status, last_payment_error?.code, data[0]?.status];
  };
  assert.deepEqual(await attempt('4000000000003220', 'authenticated'), ['succeeded', undefined, 'succeeded']);
  const failed = ['requires_payment_method', 'payment_intent_authentication_failure', undefined];
  assert.deepEqual(await attempt('4000002500003155', 'failed'), failed);
  const declined = ['requires_payment_method', 'card_declined', 'failed'];
  assert.deepEqual(await attempt('4000008400001629', 'authenticated'), declined);
});

// https://docs.stripe.com/payments/paymentintents/lifecycle
test('R4.4 another card ends an abandoned challenge, and so does cancelling', async (t) => {
  const { stripe, browser } = await startLogged(t);
  const isClosed = ({ body }: { body: { error?: { code: string } } }) =>
    body.error?.code === 'payment_intent_unexpected_state';
  const intent = await stripe.paymentIntents.create(payment);
  await browser.confirm(intent, '4000000000003220');
  assert.equal((await browser.confirm(intent, '4000000000000002')).status, 402);
  assert.ok(isClosed(await browser.authenticate(intent)));
  await browser.confirm(intent, '4000000000003220');
  const { body } = await browser.confirm(intent, '5555555555554444');
  assert.deepEqual([body.status, body.next_action], ['succeeded', null]);
  const other = await stripe.paymentIntents.create(payment);
  await browser.confirm(other, '4000000000003220');
  await stripe.paymentIntents.cancel(other.id);
  assert.ok(isClosed(await browser.confirm(other, '4242424242424242')));
  assert.ok(isClosed(await browser.authenticate(other)));
});

/** A customer who paid a deposit with this card, authenticated if required, and a function that charges it again. */
async function payDeposit(t: TestContext, number: string) {
  const running = await startLogged(t);
  const { stripe, browser } = running;
  const customer = (await stripe.customers.create({})).id;
  const deposit = { ...payment, customer, setup_future_usage: 'off_session' } as const;
  const intent = await stripe.paymentIntents.create(deposit);
  const { status } = (await browser.confirm(intent, number)).body;
  if (status === 'requires_action') await browser.authenticate(intent);
  const [method] = (await stripe.customers.listPaymentMethods(customer)).data;
  const payment_method = method?.id ?? '';
  const charge = () => chargeAbsent(stripe, { customer, payment_method });
  return { ...running, customer, payment_method, charge };
}

// https://docs.stripe.com/payments/save-during-payment#charge-saved-payment-method
test('the card of a deposit pays the balance while its owner is away, if it can be set up for that', async (t) => {
  for (const number of ['4242424242424242', '4000002500003155', '4000003800000446'])
    assert.equal((await (await payDeposit(t, number)).charge()).status, 'succeeded', number);
  const { stripe, browser, payment_method, charge } = await payDeposit(t, '4000002760003184');
  const error = await stripeError(charge());
  const code = 'authentication_required';
  assert.deepEqual([error.statusCode, error.code, error.decline_code], [402, code, code]);
  const failed = await stripe.paymentIntents.retrieve(error.payment_intent?.id ?? '');
  assert.deepEqual([failed.status, failed.payment_method], ['requires_payment_method', null]);
  assert.equal(failed.last_payment_error?.payment_method?.id, payment_method);
  const values = { client_secret: failed.client_secret ?? '', payment_method };
  const confirmByHer = () => browser.call(`/v1/payment_intents/${failed.id}/confirm`, values);
  assert.equal((await confirmByHer()).body.status, 'requires_action');
  assert.equal((await browser.authenticate(failed)).body.status, 'succeeded');
});

// https://docs.stripe.com/testing#regulatory-cards
test('a card that was attached without its setup, and one that only can be stored, are declined', async (t) => {
  const running = await startLogged(t);
  const refused = await stripeError(storeCard(running, 'pm_card_visa_chargeDeclined'));
  assert.deepEqual([refused.statusCode, refused.code], [402, 'card_declined']);
  const unready = await storeCard(running, 'pm_card_authenticationRequiredOnSetup');
  assert.equal((await stripeError(unready.confirm())).code, 'authentication_required');
  const { confirm, payment_method } = await storeCard(running, 'pm_card_chargeCustomerFail');
  for (const _attempt of [1, 2]) {
    const error = await stripeError(confirm());
    assert.deepEqual([error.decline_code, error.payment_method?.id], ['generic_decline', payment_method]);
  }
});

// https://docs.stripe.com/api/payment_intents/confirm#confirm_payment_intent-off_session
test('an off-session payment with unsuitable parameters is refused, and nothing is charged', async (t) => {
  const { stripe, customer, payment_method } = await payDeposit(t, '4242424242424242');
  const { payment_method: another } = await storeCard({ stripe });
  const { id } = await stripe.paymentIntents.create({ ...payment, customer });
  for (const [changes, refusal] of [
    [{ setup_future_usage: 'off_session' }, { param: 'off_session' }],
    [{ payment_method: 'pm_card_visa' }, { param: 'payment_method' }],
    // Recorded by seahaven's cassettes of Stripe's test mode: no code.
    [{ payment_method: another }, { param: 'payment_method', code: undefined, statusCode: 400 }],
  ] as const) {
    const asked = { payment_method, ...withoutHer, ...changes };
    await assert.rejects(stripe.paymentIntents.confirm(id, asked), refusal);
  }
  assert.deepEqual((await stripe.charges.list({ payment_intent: id })).data, []);
});

// https://docs.stripe.com/payments/payment-methods; the bodies are recorded in woocommerce-payments issue 323 and stripe-php
// issue 1221, with nothing but a type and a message
test('a payment method that paid without being attached, or was detached, cannot be used again', async (t) => {
  const running = await startLogged(t);
  const { stripe } = running;
  const { customer, payment_method, confirm } = await storeCard(running);
  const { payment_method: spent } = await stripe.paymentIntents.create({ ...paid, customer });
  const attach = (id: string) => stripe.paymentMethods.attach(id, { customer });
  const bare = { statusCode: 400, rawType: 'invalid_request_error', code: undefined, param: undefined };
  const mayNot = { ...bare, message: /may not be used again/ };
  await assert.rejects(attach(String(spent)), mayNot);
  await assert.rejects(stripe.paymentIntents.create({ ...paid, payment_method: String(spent) }), mayNot);
  await assert.rejects(attach(payment_method), { message: /already been attached/ });
  await stripe.paymentMethods.detach(payment_method);
  assert.deepEqual((await stripe.customers.listPaymentMethods(customer)).data, []);
  await assert.rejects(attach(payment_method), mayNot);
  await assert.rejects(confirm(), mayNot);
});

// https://docs.stripe.com/payments/paymentintents/lifecycle and https://docs.stripe.com/api/events/types
test('a payment can be processing, refuses changes meanwhile, and then succeeds or fails', async (t) => {
  const running = await startLogged(t);
  const { stripe, sandbox } = running;
  const { bank } = sandbox;
  const stored = await storeCard(running);
  const endpoint = await listen(t, stripe);
  sandbox.setWebhookUrl(endpoint.url);
  for (const [declineCode, status, event, captured] of [
    [undefined, 'succeeded', 'payment_intent.succeeded', 'succeeded'],
    ['lost_card', 'requires_payment_method', 'payment_intent.payment_failed', 'failed'],
  ] as const) {
    bank.delayNextCharge(stored.customer);
    const { id, status: first, latest_charge } = await chargeAbsent(stripe, stored);
    assert.equal(first, 'processing');
    assert.equal((await stripe.charges.retrieve(String(latest_charge))).status, 'pending');
    const refused = { code: 'payment_intent_unexpected_state', statusCode: 400 };
    await assert.rejects(stripe.paymentIntents.update(id, { amount: 1_000 }), refused);
    await assert.rejects(stripe.paymentIntents.confirm(id), refused);
    await assert.rejects(stripe.paymentIntents.cancel(id), refused);
    bank.settlePayment(id, declineCode);
    assert.equal((await stripe.paymentIntents.retrieve(id)).status, status);
    assert.equal((await stripe.charges.retrieve(String(latest_charge))).status, captured);
    for (const expected of ['payment_intent.created', 'payment_intent.processing', event])
      assert.equal((await endpoint.next()).type, expected);
    if (!declineCode) assert.equal((await endpoint.next()).type, 'charge.updated');
    assert.throws(() => bank.settlePayment(id), new RegExp(`status of ${status}`));
  }
});

// https://docs.stripe.com/api/payment_intents/confirm: cancelled once the limit of confirmations is reached
test('a decline at the limit of attempts cancels the intent, and nothing can be done with it', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  const { id } = await stripe.paymentIntents.create(payment);
  sandbox.bank.endAttempts(id);
  const declined = stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa_chargeDeclined' });
  const { code, payment_intent } = await stripeError(declined);
  assert.deepEqual([code, payment_intent?.status], ['card_declined', 'canceled']);
  const { cancellation_reason, canceled_at, last_payment_error } = await stripe.paymentIntents.retrieve(id);
  assert.deepEqual([cancellation_reason, last_payment_error?.code], ['automatic', 'card_declined']);
  assert.ok(canceled_at);
  const { data } = await stripe.events.list();
  const [last, before] = data.map(({ type }) => type);
  assert.deepEqual([last, before], ['payment_intent.canceled', 'payment_intent.payment_failed']);
  const over = { code: 'payment_intent_unexpected_state', statusCode: 400 };
  await assert.rejects(stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }), over);
  await assert.rejects(stripe.paymentIntents.update(id, { amount: 1_000 }), over);
  await assert.rejects(stripe.paymentIntents.cancel(id), over);
});

// https://docs.stripe.com/api/setup_intents and https://docs.stripe.com/payments/save-and-reuse
test('a setup intent stores a card for later, after 3-D Secure if the bank requires it, until it is cancelled', async (t) => {
  const { stripe, browser } = await startLogged(t);
  const customer = (await stripe.customers.create({})).id;
  const stored = async () => (await stripe.customers.listPaymentMethods(customer)).data;
  const setup = await stripe.setupIntents.create({ customer });
  const { status, body } = await browser.confirm(setup, '4000000000009987');
  assert.deepEqual([status, body.error.decline_code], [402, 'lost_card']);
  assert.equal((await browser.confirm(setup, '4000008260003178')).body.status, 'requires_action');
  const failed = await browser.authenticate(setup, 'failed');
  assert.equal(failed.body.last_setup_error.code, 'setup_intent_authentication_failure');
  assert.deepEqual(await stored(), []);
  await browser.confirm(setup, '4000002500003155');
  assert.equal((await browser.authenticate(setup)).body.status, 'succeeded');
  const [method, ...others] = await stored();
  assert.ok(method && others.length === 0);
  const charged = await chargeAbsent(stripe, { customer, payment_method: method.id });
  assert.equal(charged.status, 'succeeded');
  // https://docs.stripe.com/api/setup_intents/cancel
  const second = await stripe.setupIntents.create({ customer });
  const ended = await stripe.setupIntents.cancel(second.id, { cancellation_reason: 'abandoned' });
  assert.deepEqual([ended.status, ended.cancellation_reason], ['canceled', 'abandoned']);
  const over = { code: 'setup_intent_unexpected_state' };
  for (const { id } of [second, setup]) await assert.rejects(stripe.setupIntents.cancel(id), over);
  assert.equal((await browser.confirm(second, '4242424242424242')).body.error.code, over.code);
});
