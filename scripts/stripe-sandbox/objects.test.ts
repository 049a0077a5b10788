import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from './sandbox.ts';
import { paid, payment, startLogged, storeCard } from './test-sandbox.ts';

const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id);
const missing = { code: 'resource_missing', statusCode: 404 };

// https://docs.stripe.com/api/customers
test('R4.1 a customer is created, changed, found by her exact e-mail address, and deleted', async (t) => {
  const { stripe } = await startLogged(t);
  const created = await stripe.customers.create({
    email: "O'Brien@example.com",
    name: 'Ada Long',
    phone: '+1 415 555 0100',
    address: { line1: '1 Way', country: 'US' },
    metadata: { package: 'one', note: 'x' },
  });
  const changes = { name: '', address: '', metadata: { note: '', more: 'y' } } as const;
  const updated = await stripe.customers.update(created.id, changes);
  assert.deepEqual([updated.name, updated.address, updated.email], [null, null, "O'Brien@example.com"]);
  assert.deepEqual(updated.metadata, { package: 'one', more: 'y' });
  assert.deepEqual(await stripe.customers.retrieve(created.id), updated);
  const find = async (email: string) => idsOf(await stripe.customers.list({ email, limit: 3 }));
  assert.deepEqual(await find("O'Brien@example.com"), [created.id]);
  assert.deepEqual(await find("o'brien@example.com"), []);
  const { id } = await stripe.paymentIntents.create({ ...payment, customer: created.id });
  const deleted = await stripe.customers.del(created.id);
  assert.deepEqual(await stripe.customers.retrieve(created.id), deleted);
  await assert.rejects(stripe.customers.update(created.id, { name: 'x' }), missing);
  assert.deepEqual(await find("O'Brien@example.com"), []);
  const { customer } = await stripe.paymentIntents.retrieve(id, { expand: ['customer'] });
  assert.deepEqual(customer, { id: created.id, object: 'customer', deleted: true });
});

// https://docs.stripe.com/api/payment_intents and https://docs.stripe.com/payments/paymentintents/lifecycle
test('R4.1 a payment intent is created, changed while it is open, and cancelled', async (t) => {
  const { stripe } = await startLogged(t);
  const intent = await stripe.paymentIntents.create({
    ...payment,
    setup_future_usage: 'off_session',
    allowed_payment_method_types: ['card'],
    receipt_email: 'ada@example.com',
    metadata: { a: '1', b: '2' },
  });
  assert.equal(intent.status, 'requires_payment_method');
  assert.match(intent.client_secret ?? '', new RegExp(`^${intent.id}_secret_\\w+$`));
  const changes = { amount: 50_000, metadata: { a: '', c: '3' }, receipt_email: '' };
  const changed = await stripe.paymentIntents.update(intent.id, changes);
  assert.deepEqual(changed, { ...intent, amount: 50_000, metadata: { b: '2', c: '3' }, receipt_email: null });
  const done = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
  assert.deepEqual([done.status, done.amount_received], ['succeeded', 50_000]);
  const late = { code: 'payment_intent_unexpected_state', statusCode: 400 };
  await assert.rejects(stripe.paymentIntents.update(intent.id, { amount: 1_000 }), late);
  await assert.rejects(stripe.paymentIntents.cancel(intent.id), late);
  await assert.rejects(stripe.paymentIntents.confirm(intent.id), late);
  const marked = await stripe.paymentIntents.update(intent.id, { metadata: { b: '', sent: 'yes' } });
  assert.deepEqual(marked.metadata, { c: '3', sent: 'yes' });
  const { id } = await stripe.paymentIntents.create(payment);
  const canceled = await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' });
  assert.deepEqual([canceled.status, canceled.cancellation_reason], ['canceled', 'abandoned']);
  await assert.rejects(stripe.paymentIntents.update(id, { metadata: { seen: 'yes' } }), late);
});

// https://docs.stripe.com/api/charges
test('R4.3 every attempt is a charge', async (t) => {
  const { stripe, browser } = await startLogged(t);
  const customer = (await stripe.customers.create({})).id;
  const intent = await stripe.paymentIntents.create({ ...payment, customer, metadata: { name: 'Ada' } });
  const declined = await browser.confirm(intent, '4000000000009995');
  await browser.confirm(intent, '4242424242424242');
  await stripe.paymentIntents.create(paid);
  const { latest_charge, payment_method } = await stripe.paymentIntents.retrieve(intent.id);
  const [success, failure] = (await stripe.charges.list({ payment_intent: intent.id })).data;
  assert.ok(success && failure);
  assert.deepEqual([success.id, failure.id], [latest_charge, declined.body.error.charge]);
  assert.deepEqual([success.status, failure.status], ['succeeded', 'failed']);
  assert.deepEqual([success.payment_method, success.metadata], [payment_method, { name: 'Ada' }]);
  assert.deepEqual(idsOf(await stripe.charges.list({ customer })), [success.id, failure.id]);
});

// https://docs.stripe.com/api/pagination
test('lists are the newest first, page by page, and filter by time', async (t) => {
  let nowMs = 1_800_000_000_000;
  const { stripe } = await startLogged(t, { clock: { now: () => nowMs } });
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1) {
    ids.unshift((await stripe.paymentIntents.create(payment)).id);
    nowMs += 1000;
  }
  const page = await stripe.paymentIntents.list({ limit: 3, starting_after: ids[1] ?? '' });
  assert.deepEqual([idsOf(page), page.has_more], [ids.slice(2, 5), true]);
  const all = await stripe.paymentIntents.list({ limit: 2 }).autoPagingToArray({ limit: 100 });
  assert.deepEqual(idsOf({ data: all }), ids);
  const early = await stripe.paymentIntents.list({ created: { gte: 1_800_000_001, lt: 1_800_000_003 } });
  assert.deepEqual(idsOf(early), ids.slice(4, 6));
  await assert.rejects(stripe.paymentIntents.list({ starting_after: 'pi_gone' }), {
    param: 'starting_after',
  });
});

// https://docs.stripe.com/expand
test('intents, charges and refunds expand what they name, also in lists', async (t) => {
  const { stripe, browser, ...running } = await startLogged(t);
  const { customer, payment_method } = await storeCard({ stripe, ...running }, 'pm_card_visa');
  const unpaid = await stripe.paymentIntents.create({ ...payment, customer, expand: ['latest_charge'] });
  assert.equal(unpaid.latest_charge, null);
  const intent = await stripe.paymentIntents.create({ ...paid, customer, payment_method });
  const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 100 });
  const expand = ['customer', 'payment_method', 'latest_charge.refunds'];
  const found = await stripe.paymentIntents.retrieve(intent.id, { expand });
  const owner = await stripe.customers.retrieve(customer);
  assert.deepEqual(found.customer, { ...owner });
  assert.ok(found.payment_method && typeof found.payment_method === 'object');
  assert.equal(found.payment_method.customer, customer);
  assert.ok(found.latest_charge && typeof found.latest_charge === 'object');
  assert.deepEqual(found.latest_charge.refunds?.data, [{ ...refund }]);
  const { data } = await stripe.paymentIntents.list({ expand: ['data.latest_charge.refunds'] });
  const charges = data.map(({ latest_charge }) => typeof latest_charge === 'object' && latest_charge?.id);
  assert.deepEqual(charges, [intent.latest_charge, undefined]);
  const wrong = stripe.paymentIntents.retrieve(intent.id, { expand: ['constructor'] });
  await assert.rejects(wrong, { message: 'This property cannot be expanded (constructor).' });
  const path = `/v1/payment_intents/${intent.id}?client_secret=${intent.client_secret}&expand[]=customer`;
  assert.equal((await browser.call(path)).body.error.code, 'parameter_unknown');
});

// https://docs.stripe.com/api/metadata
test('metadata holds 50 keys of 40 characters with values of 500, also after an update, and no more', async (t) => {
  const { stripe } = await startLogged(t);
  const pairs = (count: number, prefix: string, length = 500) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`${prefix}${n}`.padEnd(40, 'k'), 'v'.repeat(length)]),
    );
  const { id } = await stripe.paymentIntents.create({ ...payment, metadata: pairs(49, 'a') });
  const update = (metadata: Record<string, string>) => stripe.paymentIntents.update(id, { metadata });
  assert.equal(Object.keys((await update(pairs(1, 'b'))).metadata).length, 50);
  await assert.rejects(update(pairs(1, 'c')), { param: 'metadata', statusCode: 400 });
  await assert.rejects(update({ ...pairs(1, 'b', 501) }), { statusCode: 400 });
  await assert.rejects(update({ ['k'.repeat(41)]: 'v' }), { statusCode: 400 });
});

// https://docs.stripe.com/error-codes
test('refused requests get the error codes of Stripe', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  const post = (path: string, parameters: object) => stripe.rawRequest('POST', path, { ...parameters });
  const refusals: [Promise<unknown>, object][] = [
    [post('/v1/payment_intents', { ...payment, mode: 'x' }), { code: 'parameter_unknown', param: 'mode' }],
    [post('/v1/payment_intents', { currency: 'usd' }), { code: 'parameter_missing', param: 'amount' }],
    [post('/v1/customers', { address: { planet: 'x' } }), { param: 'address[planet]' }],
    [stripe.paymentIntents.create({ ...payment, amount: 7.5 }), { param: 'amount' }],
    [stripe.paymentIntents.create({ ...payment, amount: 49 }), { param: 'amount' }],
    [stripe.paymentIntents.create({ ...payment, customer: 'cus_gone' }), { ...missing, statusCode: 400 }],
    [stripe.paymentIntents.retrieve('pi_gone'), missing],
    [stripe.charges.retrieve('ch_gone'), missing],
    [stripe.customers.create({ phone: '1'.repeat(21) }), { param: 'phone', statusCode: 400 }],
    [stripe.customers.create({ email: 'nobody' }), { param: 'email' }],
    [stripe.customers.list({ limit: 101 }), { param: 'limit' }],
    [connect(sandbox, 'sk_test_other').customers.list(), { statusCode: 401 }],
    [stripe.rawRequest('GET', '/v1/topups'), { statusCode: 404 }],
  ];
  for (const [refused, expected] of refusals) await assert.rejects(refused, expected);
});

// https://docs.stripe.com/api/accounts/retrieve, …/webhook_endpoints/list and …/payment_method_domains/list
test('the account, its webhook and its domains can be read', async (t) => {
  const { sandbox, stripe } = await startLogged(t);
  assert.equal((await stripe.accounts.retrieveCurrent()).charges_enabled, true);
  assert.deepEqual((await stripe.webhookEndpoints.list()).data, []);
  sandbox.setWebhookUrl('http://127.0.0.1:9/first');
  sandbox.setWebhookUrl('http://127.0.0.1:9/hook');
  const [endpoint, ...others] = (await stripe.webhookEndpoints.list()).data;
  assert.deepEqual([endpoint?.url, endpoint?.enabled_events, others], ['http://127.0.0.1:9/hook', ['*'], []]);
  const { data } = await stripe.paymentMethodDomains.list({ domain_name: 'retreat.example', enabled: true });
  assert.deepEqual(data, []);
});
