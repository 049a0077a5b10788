import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from './sandbox.ts';
import { payment, startLogged } from './test-sandbox.ts';

const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id);
const missing = { code: 'resource_missing', statusCode: 404 };

// https://docs.stripe.com/api/customers, https://docs.stripe.com/api/customers/delete
test('R4.1 a customer is found by her exact e-mail address, emptied by empty strings, and deleted for good', async (t) => {
  const { stripe } = await startLogged(t);
  const { id } = await stripe.customers.create({
    email: "O'Brien@example.com",
    name: 'Ada Long',
    address: { line1: '1 Way', country: 'US' },
    metadata: { package: 'one', note: 'x' },
  });
  const changes = { name: '', address: '', metadata: { note: '', more: 'y' } } as const;
  const { name, address, metadata } = await stripe.customers.update(id, changes);
  assert.deepEqual([name, address, metadata], [null, null, { package: 'one', more: 'y' }]);
  const find = async (email: string) => idsOf(await stripe.customers.list({ email }));
  assert.deepEqual([await find("O'Brien@example.com"), await find("o'brien@example.com")], [[id], []]);
  const intent = await stripe.paymentIntents.create({ ...payment, customer: id });
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: id });
  await stripe.customers.del(id);
  const [deletion, detachment] = (await stripe.events.list()).data;
  assert.deepEqual([deletion?.type, detachment?.type], ['customer.deleted', 'payment_method.detached']);
  assert.deepEqual(detachment?.data.object, { ...card, customer: null });
  assert.deepEqual(await stripe.paymentMethods.retrieve(card.id), detachment?.data.object);
  const gone = { code: 'resource_missing', param: 'customer', statusCode: 400 };
  await assert.rejects(stripe.paymentIntents.create({ ...payment, customer: id }), gone);
  await assert.rejects(stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }), gone);
  await assert.rejects(stripe.paymentMethods.attach('pm_card_visa', { customer: id }), gone);
  await assert.rejects(stripe.customers.listPaymentMethods(id), missing);
  await assert.rejects(stripe.customers.del(id), missing);
  await assert.rejects(stripe.customers.update(id, { name: 'x' }), missing);
  assert.deepEqual(await stripe.customers.retrieve(id), { id, object: 'customer', deleted: true });
  assert.deepEqual(await find("O'Brien@example.com"), []);
  const { customer } = await stripe.paymentIntents.retrieve(intent.id, { expand: ['customer'] });
  assert.deepEqual(customer, { id, object: 'customer', deleted: true });
});

// https://docs.stripe.com/api/payment_intents and https://docs.stripe.com/payments/paymentintents/lifecycle
test('R4.1 a payment intent takes changes while it is open, later only some, and none once it is cancelled', async (t) => {
  const { stripe } = await startLogged(t);
  const intent = await stripe.paymentIntents.create({
    ...payment,
    setup_future_usage: 'off_session',
    receipt_email: 'ada@example.com',
    metadata: { a: '1', b: '2' },
  });
  const changes = { amount: 50_000, metadata: { a: '', c: '3' }, receipt_email: '' };
  const changed = await stripe.paymentIntents.update(intent.id, changes);
  assert.deepEqual(changed, { ...intent, amount: 50_000, metadata: { b: '2', c: '3' }, receipt_email: null });
  await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
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
});

// https://docs.stripe.com/error-codes and https://docs.stripe.com/expand
test('refused requests get the error codes of Stripe', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  const { id } = await stripe.paymentIntents.create(payment);
  const post = (path: string, parameters: object) => stripe.rawRequest('POST', path, { ...parameters });
  const unexpandable = { message: 'This property cannot be expanded (constructor).' };
  const refusals: [Promise<unknown>, object][] = [
    [post('/v1/payment_intents', { ...payment, mode: 'x' }), { code: 'parameter_unknown', param: 'mode' }],
    [post('/v1/payment_intents', { currency: 'usd' }), { code: 'parameter_missing', param: 'amount' }],
    [post('/v1/customers', { address: { planet: 'x' } }), { param: 'address[planet]' }],
    [stripe.paymentIntents.create({ ...payment, amount: 7.5 }), { param: 'amount' }],
    [stripe.paymentIntents.create({ ...payment, amount: 49 }), { param: 'amount' }],
    [stripe.paymentIntents.create({ ...payment, customer: 'cus_gone' }), { ...missing, statusCode: 400 }],
    [stripe.paymentIntents.retrieve('pi_gone'), missing],
    [stripe.paymentIntents.retrieve(id, { expand: ['constructor'] }), unexpandable],
    [stripe.paymentIntents.list({ starting_after: 'pi_gone' }), { param: 'starting_after' }],
    [stripe.customers.create({ phone: '1'.repeat(21) }), { param: 'phone', statusCode: 400 }],
    [stripe.customers.create({ email: 'nobody' }), { param: 'email' }],
    [stripe.customers.list({ limit: 101 }), { param: 'limit' }],
    [connect(sandbox, 'sk_test_other').customers.list(), { statusCode: 401 }],
    [stripe.rawRequest('GET', '/v1/topups'), { statusCode: 404 }],
  ];
  for (const [refused, expected] of refusals) await assert.rejects(refused, expected);
});
