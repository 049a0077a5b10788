import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, SANDBOX_KEYS } from './sandbox.ts';
import { startLoggedSandbox } from './test-sandbox.ts';

const payment = { amount: 72_100, currency: 'usd', metadata: { firstName: 'Ada' } } as const;

test('R4.3 every attempt to charge a card is a charge, and the intent names the latest', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const customer = await stripe.customers.create({});
  const intent = await stripe.paymentIntents.create({ ...payment, customer: customer.id });
  const declined = await browser.pay(intent, '4000000000009995');
  const afterDecline = await stripe.paymentIntents.retrieve(intent.id);
  assert.equal(afterDecline.latest_charge, declined.body.error.charge);
  await browser.pay(intent, '4242424242424242');
  const paid = await stripe.paymentIntents.retrieve(intent.id);
  const { data } = await stripe.charges.list({ payment_intent: intent.id });
  assert.deepEqual(
    data.map(({ id }) => id),
    [paid.latest_charge, afterDecline.latest_charge],
  );
  const [success, failure] = data;
  assert.ok(success && failure);
  assert.deepEqual([success.status, success.paid, success.amount_captured], ['succeeded', true, 72_100]);
  assert.deepEqual([success.payment_method, success.customer], [paid.payment_method, customer.id]);
  assert.deepEqual([success.failure_code, success.metadata], [null, { firstName: 'Ada' }]);
  assert.deepEqual([failure.status, failure.paid, failure.amount_captured], ['failed', false, 0]);
  assert.deepEqual(
    [failure.failure_code, failure.failure_message],
    ['card_declined', 'Your card has insufficient funds.'],
  );
  assert.deepEqual(await stripe.charges.retrieve(success.id), success);
});

test('charges are listed by customer and time, page by page', async (t) => {
  let nowMs = 1_800_000_000_000;
  const { stripe } = await startLoggedSandbox(t, { clock: { now: () => nowMs } });
  const customer = await stripe.customers.create({});
  const ids: string[] = [];
  for (const owner of [{}, { customer: customer.id }, {}]) {
    const { id } = await stripe.paymentIntents.create({ ...payment, ...owner });
    const paid = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    ids.unshift(String(paid.latest_charge));
    nowMs += 1000;
  }
  const all = await stripe.charges.list({ limit: 2 }).autoPagingToArray({ limit: 10 });
  assert.deepEqual(
    all.map(({ id }) => id),
    ids,
  );
  const own = await stripe.charges.list({ customer: customer.id });
  assert.deepEqual(
    own.data.map(({ id }) => id),
    [ids[1]],
  );
  const recent = await stripe.charges.list({ created: { gte: 1_800_000_002 } });
  assert.deepEqual(
    recent.data.map(({ id }) => id),
    [ids[0]],
  );
});

test('an update of a charge changes only its metadata, not those of its payment', async (t) => {
  const { stripe } = await startLoggedSandbox(t);
  const metadata = { name: 'Wilma', site: 'x' };
  const { id } = await stripe.paymentIntents.create({ ...payment, metadata });
  const { latest_charge } = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  await stripe.charges.update(String(latest_charge), { metadata: { name: '' } });
  assert.deepEqual((await stripe.charges.retrieve(String(latest_charge))).metadata, { site: 'x' });
  assert.deepEqual((await stripe.paymentIntents.retrieve(id)).metadata, metadata);
});

test('charges can be read with the secret key only, and an unknown one is reported as missing', async (t) => {
  const { stripe, sandbox } = await startLoggedSandbox(t);
  const publishable = connect(sandbox, SANDBOX_KEYS.publishableKey);
  const forbidden = { statusCode: 403, code: 'secret_key_required' };
  await assert.rejects(() => publishable.charges.list(), forbidden);
  await assert.rejects(() => publishable.charges.retrieve('ch_gone'), forbidden);
  await assert.rejects(() => stripe.charges.retrieve('ch_gone'), {
    statusCode: 404,
    code: 'resource_missing',
  });
});

test('R4.5 a confirmation repeated with its idempotency key charges the card once', async (t) => {
  const { stripe } = await startLoggedSandbox(t);
  const { id } = await stripe.paymentIntents.create(payment);
  const confirm = () =>
    stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }, { idempotencyKey: 'pay' });
  await confirm();
  await confirm();
  assert.equal((await stripe.charges.list({ payment_intent: id })).data.length, 1);
});
