import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import { cardError, startLoggedSandbox, startWebhookEndpoint, verifyEvent } from './test-sandbox.ts';

const deposit = { amount: 72_100, currency: 'usd', setup_future_usage: 'off_session' } as const;
const balance = { amount: 72_625, currency: 'usd', confirm: true, off_session: true } as const;

/** A customer who paid a deposit with this card, authenticated if required, and a function that charges it again. */
async function startWithDeposit(t: TestContext, number: string) {
  const running = await startLoggedSandbox(t);
  const { stripe, browser } = running;
  const customer = (await stripe.customers.create({})).id;
  const intent = await stripe.paymentIntents.create({ ...deposit, customer });
  const paid = await browser.pay(intent, number);
  if (paid.body.status === 'requires_action') await browser.authenticate(intent);
  const [method] = (await stripe.paymentMethods.list({ customer, type: 'card' })).data;
  const payment_method = method?.id ?? '';
  const charge = (options?: Stripe.RequestOptions) =>
    stripe.paymentIntents.create({ ...balance, customer, payment_method }, options);
  return { ...running, customer, payment_method, charge };
}

for (const number of ['4242424242424242', '4000002500003155', '4000003800000446']) {
  test(`the card ${number} of a deposit pays the balance while its owner is away`, async (t) => {
    const { stripe, customer, payment_method, charge } = await startWithDeposit(t, number);
    const paid = await charge();
    assert.deepEqual([paid.status, paid.amount_received], ['succeeded', 72_625]);
    assert.deepEqual([paid.customer, paid.payment_method], [customer, payment_method]);
    assert.equal((await stripe.paymentMethods.retrieve(payment_method)).customer, customer);
  });
}

test('a card that always requires authentication is declined, and pays when its owner is present', async (t) => {
  const { stripe, browser, customer, payment_method, charge } = await startWithDeposit(t, '4000002760003184');
  const error = await cardError(charge({ idempotencyKey: 'balance' }));
  assert.deepEqual([error.statusCode, error.code], [402, 'authentication_required']);
  assert.equal(error.decline_code, 'authentication_required');
  assert.equal(error.payment_method?.id, payment_method);
  const failed = await stripe.paymentIntents.retrieve(String(error.payment_intent?.id));
  assert.deepEqual(failed, { ...error.payment_intent });
  assert.deepEqual([failed.status, failed.payment_method], ['requires_payment_method', null]);
  assert.equal(failed.last_payment_error?.payment_method?.id, payment_method);
  assert.equal((await cardError(charge({ idempotencyKey: 'balance' }))).payment_intent?.id, failed.id);
  const confirmed = await browser.call(`/v1/payment_intents/${failed.id}/confirm`, {
    client_secret: failed.client_secret ?? '',
    payment_method,
  });
  assert.equal(confirmed.body.status, 'requires_action');
  assert.equal((await browser.authenticate(failed)).body.status, 'succeeded');
  const charges = await stripe.charges.list({ customer });
  assert.deepEqual(
    charges.data.map(({ amount, status }) => [amount, status]),
    [
      [72_625, 'succeeded'],
      [72_100, 'succeeded'],
    ],
  );
});

test('a card that requires a setup is declined when it was only attached', async (t) => {
  const { stripe } = await startLoggedSandbox(t);
  const customer = (await stripe.customers.create({})).id;
  const attach = (id: string) => stripe.paymentMethods.attach(id, { customer });
  const { id: payment_method } = await attach('pm_card_authenticationRequiredOnSetup');
  const pay = stripe.paymentIntents.create({ ...balance, customer, payment_method });
  assert.equal((await cardError(pay)).code, 'authentication_required');
});

test('an unconfirmed intent can be confirmed off-session later', async (t) => {
  const { stripe, customer, payment_method } = await startWithDeposit(t, '4242424242424242');
  const { id } = await stripe.paymentIntents.create({ amount: 72_625, currency: 'usd', customer });
  const paid = await stripe.paymentIntents.confirm(id, { off_session: true, payment_method });
  assert.equal(paid.status, 'succeeded');
});

test('an off-session payment with unsuitable parameters is refused, and no intent is made', async (t) => {
  const { stripe, browser, customer, payment_method } = await startWithDeposit(t, '4242424242424242');
  const other = (await stripe.customers.create({})).id;
  const { id: elsewhere } = await stripe.paymentMethods.attach('pm_card_visa', { customer: other });
  const create = (changes: Partial<Stripe.PaymentIntentCreateParams>) =>
    stripe.paymentIntents.create({ ...balance, customer, payment_method, ...changes });
  const bothSet = /`off_session` parameter when `setup_future_usage` is also set/;
  await assert.rejects(create({ setup_future_usage: 'off_session' }), { message: bothSet });
  await assert.rejects(create({ confirm: false }), { param: 'off_session' });
  const unattached = { param: 'payment_method', statusCode: 400 };
  await assert.rejects(create({ payment_method: 'pm_card_visa' }), unattached);
  await assert.rejects(create({ payment_method: elsewhere }), unattached);
  const { id, client_secret } = await stripe.paymentIntents.create({ ...deposit, customer });
  await assert.rejects(stripe.paymentIntents.confirm(id, { off_session: true, payment_method }), {
    message: bothSet,
  });
  const path = `/v1/payment_intents/${id}/confirm`;
  const values = { client_secret: client_secret ?? '', payment_method, off_session: 'true' };
  assert.equal((await browser.call(path, values)).body.error.param, 'off_session');
  assert.equal((await stripe.paymentIntents.list({ customer })).data.length, 2);
});

test('a payment method that paid without being attached, or was detached, cannot be used again', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const customer = (await stripe.customers.create({})).id;
  const { setup_future_usage: _none, ...once } = deposit;
  const intent = await stripe.paymentIntents.create({ ...once, customer });
  await browser.pay(intent, '4242424242424242');
  const { payment_method } = await stripe.paymentIntents.retrieve(intent.id);
  const mayNot = { message: /may not be used again/, param: 'payment_method' };
  await assert.rejects(stripe.paymentMethods.attach(String(payment_method), { customer }), mayNot);
  await assert.rejects(
    stripe.paymentIntents.create({
      ...once,
      customer,
      confirm: true,
      payment_method: String(payment_method),
    }),
    mayNot,
  );
  const { id } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
  await assert.rejects(stripe.paymentMethods.attach(id, { customer }), { message: /already been attached/ });
  assert.equal((await stripe.customers.listPaymentMethods(customer)).data[0]?.id, id);
  assert.equal((await stripe.customers.retrievePaymentMethod(customer, id)).id, id);
  assert.equal((await stripe.paymentMethods.detach(id)).customer, null);
  assert.deepEqual((await stripe.customers.listPaymentMethods(customer)).data, []);
  const gone = { code: 'resource_missing', statusCode: 404 };
  await assert.rejects(stripe.customers.retrievePaymentMethod(customer, id), gone);
  await assert.rejects(stripe.paymentMethods.attach(id, { customer }), mayNot);
});

test('an off-session decline is reported by a signed event, with the card that failed', async (t) => {
  const endpoint = await startWebhookEndpoint(t);
  const { stripe, sandbox, charge, payment_method } = await startWithDeposit(t, '4242424242424242');
  sandbox.setWebhookUrl(endpoint.url);
  sandbox.bank.declineNextCharge(payment_method, 'insufficient_funds');
  await cardError(charge());
  assert.equal(verifyEvent(stripe, await endpoint.next()).type, 'payment_intent.created');
  const { type, data } = verifyEvent(stripe, await endpoint.next());
  assert.ok(type === 'payment_intent.payment_failed');
  assert.equal(data.object.last_payment_error?.payment_method?.id, payment_method);
});
