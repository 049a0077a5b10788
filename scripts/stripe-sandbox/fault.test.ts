import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Stripe from 'stripe';
import type { Fault } from './fault.ts';
import { createIntentOnce, isReplay, startLoggedSandbox } from './test-sandbox.ts';

const payment = { amount: 72_100, currency: 'usd' } as const;
const idempotencyKey = 'registration';
const reset = (error: unknown) =>
  error instanceof TypeError && Reflect.get(Object(error.cause), 'code') === 'ECONNRESET';

/** A sandbox that applies the fault to the first POST only. */
async function startWithFault(t: TestContext, fault: Fault) {
  const faults = [fault];
  const running = await startLoggedSandbox(t, {
    intercept: ({ method }) => (method === 'POST' ? faults.shift() : undefined),
  });
  const { stripe } = running;
  const create = () => stripe.paymentIntents.create(payment, { idempotencyKey });
  const countMade = async () => (await stripe.paymentIntents.list()).data.length;
  return { ...running, create, countMade };
}

async function apiError(failing: Promise<unknown>): Promise<Stripe.errors.StripeAPIError> {
  const error = await failing.catch((reason: unknown) => reason);
  assert.ok(error instanceof Stripe.errors.StripeAPIError);
  return error;
}

for (const carryOut of [true, false]) {
  const effect = carryOut ? 'although the intent was made' : 'with nothing done';
  test(`R4.5 every retry with its key gets the saved server error, ${effect}`, async (t) => {
    const { create, countMade, stripe } = await startWithFault(t, { kind: 'answer-500', carryOut });
    const first = await apiError(create());
    assert.deepEqual([first.statusCode, first.rawType], [500, 'api_error']);
    assert.equal(first.headers?.['stripe-should-retry'], 'false');
    const second = await apiError(create());
    assert.deepEqual([second.statusCode, second.headers?.['idempotent-replayed']], [500, 'true']);
    assert.equal(second.headers?.['original-request'], first.requestId);
    assert.equal(await countMade(), carryOut ? 1 : 0);
    await stripe.paymentIntents.create(payment, { idempotencyKey: 'another' });
    assert.equal(await countMade(), carryOut ? 2 : 1);
  });

  test(`R4.5 a retry after a connection reset ${effect} shows whether the intent was made`, async (t) => {
    const { sandbox, create, countMade, lines } = await startWithFault(t, { kind: 'reset', carryOut });
    await assert.rejects(() => createIntentOnce(sandbox, idempotencyKey), reset);
    assert.equal(await countMade(), carryOut ? 1 : 0);
    assert.equal(lines.filter((line) => line.includes('unanswered')).length, 1);
    assert.equal(isReplay(await create()), carryOut);
    assert.equal(await countMade(), 1);
  });
}

test('R4.5 the SDK itself retries a reset connection, and gets the answer that was lost', async (t) => {
  const { create, countMade } = await startWithFault(t, { kind: 'reset', carryOut: true });
  assert.equal(isReplay(await create()), true);
  assert.equal(await countMade(), 1);
});

test('R4.5 refused parameters get their own error instead of a server error, and leave the key free', async (t) => {
  const { stripe, create } = await startWithFault(t, { kind: 'answer-500', carryOut: true });
  const refused = stripe.paymentIntents.create({ ...payment, amount: 1 }, { idempotencyKey });
  await assert.rejects(refused, { statusCode: 400, code: 'amount_too_small' });
  assert.equal(isReplay(await create()), false);
});

test('a rate limit has Stripe’s error code, does nothing, and leaves the key free', async (t) => {
  const { create, countMade } = await startWithFault(t, { kind: 'rate-limit' });
  await assert.rejects(create, { type: 'StripeRateLimitError', statusCode: 429, code: 'rate_limit' });
  assert.equal(await countMade(), 0);
  assert.equal(isReplay(await create()), false);
});
