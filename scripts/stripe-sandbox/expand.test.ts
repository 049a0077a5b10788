import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startLoggedSandbox } from './test-sandbox.ts';

async function startWithPayment(t: TestContext) {
  const running = await startLoggedSandbox(t);
  const { stripe } = running;
  const customer = await stripe.customers.create({ name: 'Ada Long' });
  const { id: payment_method } = await stripe.paymentMethods.attach('pm_card_visa', {
    customer: customer.id,
  });
  const payment = { amount: 72_100, currency: 'usd', customer: customer.id, payment_method } as const;
  const intent = await stripe.paymentIntents.create({ ...payment, confirm: true });
  const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 100 });
  return { ...running, customer, payment, intent, refund };
}

test('an intent expands its customer, its card, its charge and the refunds of the charge', async (t) => {
  const { stripe, customer, intent, refund } = await startWithPayment(t);
  const expand = ['customer', 'payment_method.customer', 'latest_charge.refunds', 'latest_charge.customer'];
  const found = await stripe.paymentIntents.retrieve(intent.id, { expand });
  assert.deepEqual(found.customer, { ...customer });
  assert.ok(typeof found.payment_method === 'object' && found.payment_method?.card?.last4 === '4242');
  assert.deepEqual(found.payment_method.customer, { ...customer });
  assert.ok(typeof found.latest_charge === 'object' && found.latest_charge);
  assert.equal(found.latest_charge.amount_refunded, 100);
  assert.deepEqual(found.latest_charge.refunds?.data, [{ ...refund }]);
  assert.equal(found.latest_charge.refunds?.has_more, false);
  assert.deepEqual(found.latest_charge.customer, { ...customer });
  const deepest = ['data.latest_charge.refunds.data'];
  const listed = await stripe.paymentIntents.list({ expand: deepest });
  const charge = listed.data[0]?.latest_charge;
  assert.ok(typeof charge === 'object' && charge?.refunds?.data.length === 1);
});

test('lists, creations and updates expand too, and a missing object stays null', async (t) => {
  const { stripe, customer, payment, intent, refund } = await startWithPayment(t);
  const unpaid = await stripe.paymentIntents.create(
    { ...payment, metadata: { a: '1' }, expand: ['latest_charge', 'customer'] },
    { idempotencyKey: 'unpaid' },
  );
  assert.equal(unpaid.latest_charge, null);
  assert.deepEqual(unpaid.customer, { ...customer });
  const updated = await stripe.paymentIntents.update(unpaid.id, { description: 'x', expand: ['customer'] });
  assert.deepEqual(updated.customer, { ...customer });
  const { data } = await stripe.paymentIntents.list({ expand: ['data.latest_charge', 'data.customer'] });
  const charges = data.map(({ latest_charge }) => typeof latest_charge === 'object' && latest_charge?.id);
  assert.deepEqual(charges, [undefined, intent.latest_charge]);
  const back = await stripe.refunds.list({ expand: ['data.payment_intent', 'data.charge'] });
  const owner = back.data[0]?.payment_intent;
  assert.ok(typeof owner === 'object' && owner?.id === intent.id && back.data[0]?.id === refund.id);
  const setup = await stripe.setupIntents.create({ customer: customer.id, expand: ['customer'] });
  assert.deepEqual(setup.customer, { ...customer });
});

test('unknown paths and too deep ones are refused before anything is done', async (t) => {
  const { stripe, browser, payment, intent } = await startWithPayment(t);
  const refuse = (expand: string[], message: RegExp) =>
    assert.rejects(stripe.paymentIntents.retrieve(intent.id, { expand }), { statusCode: 400, message });
  await refuse(['customers'], /^This property cannot be expanded \(customers\)\.$/);
  await refuse(['constructor'], /^This property cannot be expanded \(constructor\)\.$/);
  await refuse(['latest_charge.outcome'], /^This property cannot be expanded \(latest_charge\.outcome\)\.$/);
  await assert.rejects(stripe.paymentIntents.list({ expand: ['customer'] }), {
    message: /expanded \(customer\)\. You may want to try expanding 'data\.customer' instead\.$/,
  });
  await assert.rejects(stripe.paymentIntents.list({ expand: ['data.latest_charge.refunds.data.charge'] }), {
    code: 'property_expansion_max_depth',
  });
  await assert.rejects(stripe.paymentIntents.create({ ...payment, expand: ['nothing'] }), {
    statusCode: 400,
  });
  assert.equal((await stripe.paymentIntents.list()).data.length, 1);
  const path = `/v1/payment_intents/${intent.id}?client_secret=${intent.client_secret}&expand[]=customer`;
  assert.equal((await browser.call(path)).body.error.code, 'parameter_unknown');
});
