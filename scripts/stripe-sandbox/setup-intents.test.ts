import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connect, SANDBOX_KEYS } from './sandbox.ts';
import { startLoggedSandbox, startWebhookEndpoint, verifyEvent } from './test-sandbox.ts';

/** A customer with a setup intent, and the events from then on. */
async function startWithSetup(t: TestContext) {
  const running = await startLoggedSandbox(t);
  const { stripe, sandbox } = running;
  const customer = (await stripe.customers.create({})).id;
  const setup = await stripe.setupIntents.create({
    customer,
    usage: 'off_session',
    allowed_payment_method_types: ['card'],
    metadata: { deposit: 'pi_1', private: 'Ada' },
  });
  const endpoint = await startWebhookEndpoint(t);
  sandbox.setWebhookUrl(endpoint.url);
  const nextEvent = async () => verifyEvent(stripe, await endpoint.next());
  return { ...running, customer, setup, nextEvent };
}

const charge = { amount: 72_625, currency: 'usd', confirm: true, off_session: true } as const;

test('a card that is set up belongs to the customer and pays while she is away', async (t) => {
  const { stripe, browser, customer, setup, nextEvent } = await startWithSetup(t);
  assert.deepEqual([setup.status, setup.usage], ['requires_payment_method', 'off_session']);
  assert.match(setup.client_secret ?? '', new RegExp(`^${setup.id}_secret_\\w+$`));
  const done = await browser.setUp(setup, '4242424242424242');
  assert.deepEqual([done.status, done.body.status], [200, 'succeeded']);
  const event = await nextEvent();
  assert.ok(event.type === 'setup_intent.succeeded');
  const { payment_method } = event.data.object;
  assert.deepEqual([event.data.object.id, event.data.object.customer], [setup.id, customer]);
  const [method] = (await stripe.paymentMethods.list({ customer })).data;
  assert.equal(method?.id, payment_method);
  const paid = await stripe.paymentIntents.create({ ...charge, customer, payment_method: method?.id ?? '' });
  assert.equal(paid.status, 'succeeded');
});

test('3-D Secure is required, failed, and completed', async (t) => {
  const { stripe, browser, customer, setup, nextEvent } = await startWithSetup(t);
  const waiting = await browser.setUp(setup, '4000002500003155');
  assert.deepEqual(
    [waiting.body.status, waiting.body.next_action.type],
    ['requires_action', 'use_stripe_sdk'],
  );
  const failed = await browser.authenticate(setup, 'failed');
  assert.equal(failed.body.status, 'requires_payment_method');
  assert.equal(failed.body.last_setup_error.code, 'setup_intent_authentication_failure');
  assert.equal((await nextEvent()).type, 'setup_intent.requires_action');
  const event = await nextEvent();
  assert.ok(event.type === 'setup_intent.setup_failed');
  assert.equal(event.data.object.last_setup_error?.code, 'setup_intent_authentication_failure');
  assert.deepEqual((await stripe.paymentMethods.list({ customer })).data, []);
  await browser.setUp(setup, '4000002500003155');
  assert.equal((await browser.authenticate(setup)).body.status, 'succeeded');
  const { payment_method } = await stripe.setupIntents.retrieve(setup.id);
  const paid = await stripe.paymentIntents.create({
    ...charge,
    customer,
    payment_method: String(payment_method),
  });
  assert.equal(paid.status, 'succeeded');
  const late = await browser.authenticate(setup);
  assert.equal(late.body.error.code, 'setup_intent_unexpected_state');
});

test('a card that the bank declines is not stored', async (t) => {
  const { stripe, browser, customer, setup, nextEvent } = await startWithSetup(t);
  const { status, body } = await browser.setUp(setup, '4000000000009987');
  assert.deepEqual([status, body.error.type, body.error.decline_code], [402, 'card_error', 'lost_card']);
  assert.equal(body.error.setup_intent.status, 'requires_payment_method');
  assert.equal((await nextEvent()).type, 'setup_intent.setup_failed');
  await browser.setUp(setup, '4000008400001629');
  const declined = await browser.authenticate(setup);
  assert.equal(declined.body.last_setup_error.decline_code, 'generic_decline');
  const { last_setup_error } = await stripe.setupIntents.retrieve(setup.id);
  assert.equal(last_setup_error?.payment_method?.card?.last4, '1629');
  assert.deepEqual((await stripe.paymentMethods.list({ customer })).data, []);
});

test('a setup is updated, confirmed by the server, and then accepts no other card', async (t) => {
  const { stripe, customer, setup } = await startWithSetup(t);
  const updated = await stripe.setupIntents.update(setup.id, { metadata: { private: '' }, description: 'x' });
  assert.deepEqual([updated.metadata, updated.description], [{ deposit: 'pi_1' }, 'x']);
  const missing = { code: 'setup_intent_unexpected_state', message: /missing a payment method/ };
  await assert.rejects(stripe.setupIntents.confirm(setup.id), missing);
  const ready = await stripe.setupIntents.update(setup.id, { payment_method: 'pm_card_visa' });
  assert.equal(ready.status, 'requires_confirmation');
  assert.equal((await stripe.setupIntents.confirm(setup.id)).status, 'succeeded');
  const late = { code: 'setup_intent_unexpected_state', statusCode: 400 };
  await assert.rejects(stripe.setupIntents.update(setup.id, { payment_method: 'pm_card_visa' }), late);
  await assert.rejects(stripe.setupIntents.confirm(setup.id), late);
  await assert.rejects(stripe.setupIntents.cancel(setup.id), late);
  const marked = await stripe.setupIntents.update(setup.id, { metadata: { used: 'yes' } });
  assert.deepEqual(marked.metadata, { deposit: 'pi_1', used: 'yes' });
  const { data } = await stripe.setupIntents.list({ customer });
  assert.deepEqual(
    data.map(({ id }) => id),
    [setup.id],
  );
});

test('a canceled setup can no longer be confirmed, and no setup accepts the card of another customer', async (t) => {
  const { stripe, browser, setup, nextEvent } = await startWithSetup(t);
  const other = (await stripe.customers.create({})).id;
  const { id: elsewhere } = await stripe.paymentMethods.attach('pm_card_visa', { customer: other });
  const notHers = { param: 'payment_method', message: /does not belong to the Customer/ };
  await assert.rejects(stripe.setupIntents.confirm(setup.id, { payment_method: elsewhere }), notHers);
  await assert.rejects(stripe.setupIntents.create({ payment_method: elsewhere }), {
    param: 'payment_method',
  });
  const canceled = await stripe.setupIntents.cancel(setup.id, { cancellation_reason: 'abandoned' });
  assert.deepEqual([canceled.status, canceled.cancellation_reason], ['canceled', 'abandoned']);
  const late = await browser.setUp(setup, '4242424242424242');
  assert.equal(late.body.error.code, 'setup_intent_unexpected_state');
  const types = [(await nextEvent()).type, (await nextEvent()).type];
  assert.deepEqual(types, ['customer.created', 'setup_intent.canceled']);
});

test('a publishable key sees the setup whose secret it knows, without customer and metadata', async (t) => {
  const { browser, sandbox, customer, setup } = await startWithSetup(t);
  const path = `/v1/setup_intents/${setup.id}`;
  const seen = await browser.call(`${path}?client_secret=${setup.client_secret}`);
  assert.equal(seen.body.id, setup.id);
  assert.ok(!seen.text.includes(customer) && !seen.text.includes('Ada'));
  const forged = await browser.call(`${path}?client_secret=${setup.id}_secret_no`);
  assert.equal(forged.body.error.code, 'setup_intent_invalid_parameter');
  assert.equal((await browser.call(path)).body.error.param, 'client_secret');
  const publishable = connect(sandbox, SANDBOX_KEYS.publishableKey);
  await assert.rejects(publishable.setupIntents.list(), { statusCode: 403 });
});
