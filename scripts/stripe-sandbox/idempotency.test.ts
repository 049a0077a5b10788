import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { connect, SANDBOX_KEYS, startTestSandbox } from './sandbox.ts';
import { cardError } from './test-sandbox.ts';

const payment = { amount: 72_100, currency: 'usd' } as const;

test('R4.5 an idempotency key repeats the first answer and refuses other parameters', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const idempotencyKey = 'registration-1';
  const first = await stripe.paymentIntents.create(payment, { idempotencyKey });
  const second = await stripe.paymentIntents.create(payment, { idempotencyKey });
  assert.equal(second.id, first.id);
  assert.equal(first.lastResponse.headers['idempotent-replayed'], undefined);
  assert.equal(second.lastResponse.headers['idempotent-replayed'], 'true');
  assert.equal(second.lastResponse.headers['original-request'], first.lastResponse.requestId);
  assert.equal((await stripe.paymentIntents.list()).data.length, 1);
  const misuse = { type: 'StripeIdempotencyError', rawType: 'idempotency_error', statusCode: 400 };
  await assert.rejects(
    () => stripe.paymentIntents.create({ ...payment, amount: 100 }, { idempotencyKey }),
    misuse,
  );
  await assert.rejects(() => stripe.customers.create({}, { idempotencyKey }), misuse);
});

test('R4.5 a key is forgotten after 24 hours of business time', async (t) => {
  let nowMs = Date.UTC(2025, 11, 1);
  const { stripe } = await startTestSandbox(t, { clock: { now: () => nowMs } });
  const create = () => stripe.paymentIntents.create(payment, { idempotencyKey: 'a day' });
  const first = await create();
  assert.equal(first.created, Date.UTC(2025, 11, 1) / 1000);
  nowMs += 24 * 60 * 60 * 1000 - 1;
  assert.equal((await create()).id, first.id);
  nowMs += 1;
  const second = await create();
  assert.notEqual(second.id, first.id);
  assert.equal(second.created, Date.UTC(2025, 11, 2) / 1000);
});

test('R4.5 refused parameters leave the key free, a declined card does not', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const { id } = await stripe.paymentIntents.create(payment);
  await assert.rejects(() =>
    stripe.paymentIntents.create({ ...payment, amount: 1 }, { idempotencyKey: 'a' }),
  );
  assert.ok(await stripe.paymentIntents.create(payment, { idempotencyKey: 'a' }));
  const pay = () =>
    stripe.paymentIntents.confirm(
      id,
      { payment_method: 'pm_card_visa_chargeDeclined' },
      { idempotencyKey: 'b' },
    );
  const [one, two] = [await cardError(pay()), await cardError(pay())];
  assert.ok(one.charge);
  assert.equal(one.charge, two.charge);
});

test('R4.5 a key whose first request is still in progress gets 409, which the SDK retries', async (t) => {
  const steps = new EventEmitter();
  const arrived = once(steps, 'arrived');
  const opened = once(steps, 'opened');
  let calls = 0;
  const { stripe, sandbox } = await startTestSandbox(t, {
    intercept: async () => {
      calls += 1;
      steps.emit('arrived');
      await opened;
    },
  });
  const idempotencyKey = 'double-click';
  const first = stripe.paymentIntents.create(payment, { idempotencyKey });
  await arrived;
  await assert.rejects(() => stripe.paymentIntents.create(payment, { idempotencyKey }), {
    statusCode: 409,
    code: 'idempotency_key_in_use',
  });
  const retrying = connect(sandbox, SANDBOX_KEYS.secretKey, 2).paymentIntents.create(payment, {
    idempotencyKey,
  });
  steps.emit('opened');
  assert.equal((await retrying).id, (await first).id);
  assert.equal(calls, 1);
});

test('R4.5 a failure before the request is carried out answers 500 and leaves the key free', async (t) => {
  let failures = 1;
  const { stripe } = await startTestSandbox(t, {
    intercept: () => {
      failures -= 1;
      if (failures >= 0) throw new Error('down');
    },
  });
  const create = () => stripe.customers.create({}, { idempotencyKey: 'again' });
  await assert.rejects(create, { statusCode: 500, rawType: 'api_error' });
  assert.match((await create()).id, /^cus_/);
});
