import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, SANDBOX_KEYS, startTestSandbox } from './sandbox.ts';

const payment = { amount: 72_100, currency: 'usd' } as const;

test('R4.1 a customer is created, retrieved, updated and listed by e-mail', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const created = await stripe.customers.create({
    email: "o'brien@example.com",
    name: 'Ada Long',
    phone: '+1 415 555 0100',
    address: { line1: '1 Way', country: 'US' },
    metadata: { package: 'one', note: 'x' },
  });
  assert.match(created.id, /^cus_\w{14}$/);
  assert.match(created.lastResponse.requestId, /^req_\w+$/);
  const updated = await stripe.customers.update(created.id, { name: '', metadata: { note: '', more: 'y' } });
  assert.equal(updated.name, null);
  assert.deepEqual([updated.address?.line1, updated.address?.line2], ['1 Way', null]);
  assert.equal(updated.email, "o'brien@example.com");
  assert.deepEqual(updated.metadata, { package: 'one', more: 'y' });
  assert.deepEqual(await stripe.customers.retrieve(created.id), updated);
  await stripe.customers.create({ email: 'other@example.com' });
  const found = await stripe.customers.list({ email: "o'brien@example.com", limit: 3 });
  assert.deepEqual(
    found.data.map((customer) => customer.id),
    [created.id],
  );
});

test('a deleted customer cannot be changed and is in no list, and its payments stay', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const { id } = await stripe.customers.create({ email: 'ada@example.com' });
  const intent = await stripe.paymentIntents.create({ ...payment, customer: id });
  const deleted = await stripe.customers.del(id);
  assert.deepEqual([deleted.id, deleted.deleted], [id, true]);
  assert.deepEqual(await stripe.customers.retrieve(id), deleted);
  await assert.rejects(stripe.customers.update(id, { name: 'x' }), { code: 'resource_missing' });
  await assert.rejects(stripe.customers.del(id), { code: 'resource_missing' });
  assert.deepEqual((await stripe.customers.list({ email: 'ada@example.com' })).data, []);
  const read = await stripe.paymentIntents.retrieve(intent.id, { expand: ['customer'] });
  assert.deepEqual(read.customer, { id, object: 'customer', deleted: true });
});

test('R4.1 the e-mail filter of customers is case-sensitive', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const { id } = await stripe.customers.create({ email: 'Ada@Example.com' });
  const ids = async (email: string) => (await stripe.customers.list({ email })).data.map((found) => found.id);
  assert.deepEqual([await ids('Ada@Example.com'), await ids('ada@example.com')], [[id], []]);
});

test('R4.1 a payment intent carries what it was created with', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const customer = await stripe.customers.create({});
  const intent = await stripe.paymentIntents.create({
    ...payment,
    customer: customer.id,
    setup_future_usage: 'off_session',
    allowed_payment_method_types: ['card'],
    receipt_email: 'ada@example.com',
    metadata: { firstName: 'Ada' },
  });
  assert.equal(intent.amount, 72_100);
  assert.equal(intent.status, 'requires_payment_method');
  assert.equal(intent.customer, customer.id);
  assert.equal(intent.setup_future_usage, 'off_session');
  assert.deepEqual(intent.allowed_payment_method_types, ['card']);
  assert.deepEqual(intent.metadata, { firstName: 'Ada' });
  assert.match(intent.client_secret ?? '', new RegExp(`^${intent.id}_secret_\\w+$`));
  assert.deepEqual(await stripe.paymentIntents.retrieve(intent.id), intent);
});

test('lists page both ways and filter by time and customer', async (t) => {
  let nowMs = 1_800_000_000_000;
  const { stripe } = await startTestSandbox(t, { clock: { now: () => nowMs } });
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1) {
    ids.unshift((await stripe.paymentIntents.create(payment)).id);
    nowMs += 1000;
  }
  const first = await stripe.paymentIntents.list({ limit: 3 });
  assert.deepEqual([first.data.map(({ id }) => id), first.has_more], [ids.slice(0, 3), true]);
  const all = await stripe.paymentIntents.list({ limit: 2 }).autoPagingToArray({ limit: 100 });
  assert.deepEqual(
    all.map(({ id }) => id),
    ids,
  );
  const newer = await stripe.paymentIntents.list({ limit: 2, ending_before: ids[3] ?? '' });
  assert.deepEqual([newer.data.map(({ id }) => id), newer.has_more], [ids.slice(1, 3), true]);
  const recent = await stripe.paymentIntents.list({ created: { gte: 1_800_000_005 } });
  assert.deepEqual(
    recent.data.map(({ id }) => id),
    ids.slice(0, 2),
  );
  assert.equal((await stripe.paymentIntents.list({ customer: 'cus_none' })).data.length, 0);
});

test('refused parameters get the error codes of Stripe', async (t) => {
  const { stripe, sandbox } = await startTestSandbox(t);
  const refusals: [() => Promise<unknown>, Record<string, unknown>][] = [
    [
      () => stripe.rawRequest('POST', '/v1/payment_intents', { ...payment, payment_method_types: ['card'] }),
      { code: 'parameter_unknown', param: 'payment_method_types', statusCode: 400 },
    ],
    [
      () => stripe.rawRequest('POST', '/v1/payment_intents', { currency: 'usd' }),
      { code: 'parameter_missing', param: 'amount' },
    ],
    [
      () => stripe.paymentIntents.create({ ...payment, amount: 7.5 }),
      { code: 'parameter_invalid_integer', param: 'amount' },
    ],
    [() => stripe.paymentIntents.create({ ...payment, amount: 49 }), { code: 'amount_too_small' }],
    [
      () => stripe.paymentIntents.create({ ...payment, customer: 'cus_gone' }),
      { code: 'resource_missing', param: 'customer', statusCode: 400 },
    ],
    [() => stripe.paymentIntents.retrieve('pi_gone'), { code: 'resource_missing', statusCode: 404 }],
    [() => stripe.customers.create({ phone: '1'.repeat(21) }), { param: 'phone', statusCode: 400 }],
    [() => stripe.customers.create({ email: 'nobody' }), { code: 'email_invalid', param: 'email' }],
    [() => stripe.customers.create({ metadata: { ['k'.repeat(41)]: 'v' } }), { statusCode: 400 }],
    [() => stripe.customers.create({ metadata: { k: 'v'.repeat(501) } }), { param: 'metadata[k]' }],
    [
      () =>
        stripe.customers.create({
          metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, 'v'])),
        }),
      { param: 'metadata' },
    ],
    [
      () => stripe.rawRequest('POST', '/v1/customers', { address: { planet: 'x' } }),
      { code: 'parameter_unknown', param: 'address[planet]' },
    ],
    [() => stripe.customers.list({ limit: 101 }), { param: 'limit' }],
    [() => connect(sandbox, 'sk_test_other').customers.list(), { statusCode: 401 }],
    [() => stripe.rawRequest('GET', '/v1/payouts'), { statusCode: 404 }],
  ];
  for (const [request, expected] of refusals) await assert.rejects(request, expected);
});

test('updates merge and unset values; once the intent has succeeded, only its metadata can change', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const { id } = await stripe.paymentIntents.create({ ...payment, metadata: { a: '1', b: '2' } });
  const updated = await stripe.paymentIntents.update(id, {
    amount: 50_000,
    metadata: { a: '', c: '3' },
    receipt_email: 'ada@example.com',
  });
  assert.deepEqual([updated.amount, updated.metadata], [50_000, { b: '2', c: '3' }]);
  assert.equal((await stripe.paymentIntents.update(id, { receipt_email: '' })).receipt_email, null);
  const paid = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  assert.deepEqual([paid.status, paid.amount_received], ['succeeded', 50_000]);
  assert.match(String(paid.latest_charge), /^ch_/);
  const late = { code: 'payment_intent_unexpected_state', statusCode: 400 };
  await assert.rejects(() => stripe.paymentIntents.update(id, { amount: 1_000 }), late);
  await assert.rejects(() => stripe.paymentIntents.cancel(id), late);
  await assert.rejects(() => stripe.paymentIntents.confirm(id), late);
  const marked = await stripe.paymentIntents.update(id, { metadata: { sent: 'yes' } });
  assert.deepEqual(marked.metadata, { b: '2', c: '3', sent: 'yes' });
});

test('an intent is canceled with a reason, and cannot be changed afterwards', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const { id } = await stripe.paymentIntents.create(payment);
  const canceled = await stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' });
  assert.deepEqual([canceled.status, canceled.cancellation_reason], ['canceled', 'abandoned']);
  const late = { code: 'payment_intent_unexpected_state', statusCode: 400 };
  await assert.rejects(() => stripe.paymentIntents.update(id, { metadata: { seen: 'yes' } }), late);
  await assert.rejects(() => stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }), late);
  assert.deepEqual(await stripe.paymentIntents.retrieve(id), canceled);
});

test('metadata holds 50 keys of 40 characters with values of 500, also after an update, and no more', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const pairs = (count: number, prefix: string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`${prefix}${n}`.padEnd(40, 'k'), 'v'.repeat(500)]),
    );
  const { id } = await stripe.paymentIntents.create({ ...payment, metadata: pairs(49, 'a') });
  const full = await stripe.paymentIntents.update(id, { metadata: pairs(1, 'b') });
  assert.equal(Object.keys(full.metadata).length, 50);
  const more = () => stripe.paymentIntents.update(id, { metadata: pairs(1, 'c') });
  await assert.rejects(more, { param: 'metadata', statusCode: 400 });
  const [gone = ''] = Object.keys(full.metadata);
  await stripe.paymentIntents.update(id, { metadata: { [gone]: '' } });
  assert.equal(Object.keys((await more()).metadata).length, 50);
});

test('a request without a body is read as one without parameters', async (t) => {
  const { stripe, sandbox } = await startTestSandbox(t);
  const { id } = await stripe.paymentIntents.create(payment);
  const response = await fetch(`${sandbox.url}/v1/payment_intents/${id}/cancel`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${SANDBOX_KEYS.secretKey}`, 'Idempotency-Key': 'bare' },
  });
  assert.equal(response.status, 200);
});
