import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { Fault } from './answer.ts';
import { stripeError } from './contract.ts';
import { connect, SANDBOX_KEYS, type Sandbox, startTestSandbox } from './sandbox.ts';

const payment = { amount: 72_100, currency: 'usd' } as const;

const idempotencyKey = 'registration';

/** Creates an intent with a client that, unlike the SDK, does not retry by itself, and that can be aborted. */
const createOnce = ({ url }: Sandbox, signal: AbortSignal | null = null) =>
  fetch(`${url}/v1/payment_intents`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${SANDBOX_KEYS.secretKey}`, 'Idempotency-Key': idempotencyKey },
    body: new URLSearchParams({ amount: '72100', currency: 'usd' }),
    signal,
  });

/** A sandbox whose first POST meets a fault, once it may go on; `made` counts the intents. */
async function startWithFault(t: TestContext, fault?: Fault) {
  const steps = new EventEmitter();
  const [arrived, mayGoOn] = [once(steps, 'arrived'), once(steps, 'go on')];
  const faults = [fault];
  const running = await startTestSandbox(t, {
    intercept: async ({ method }) => {
      if (method !== 'POST' || faults.length === 0) return undefined;
      steps.emit('arrived');
      if (!fault) await mayGoOn;
      return faults.shift();
    },
  });
  const { stripe } = running;
  const create = () => stripe.paymentIntents.create(payment, { idempotencyKey });
  const isReplayed = async () => (await create()).lastResponse.headers['idempotent-replayed'] === 'true';
  const made = async () => (await stripe.paymentIntents.list()).data.length;
  return { ...running, arrived, goOn: () => steps.emit('go on'), create, isReplayed, made };
}

// https://docs.stripe.com/api/idempotent_requests
test('R4.5 a key repeats the first answer for 24 hours, and refuses other parameters', async (t) => {
  let nowMs = Date.UTC(2025, 11, 1);
  const { stripe } = await startTestSandbox(t, { clock: { now: () => nowMs } });
  const create = (amount = 72_100) =>
    stripe.paymentIntents.create({ ...payment, amount }, { idempotencyKey });
  await assert.rejects(create(1), { param: 'amount' });
  const first = await create();
  nowMs += 24 * 60 * 60 * 1000 - 1;
  const again = await create();
  assert.deepEqual([again.id, again.lastResponse.headers['idempotent-replayed']], [first.id, 'true']);
  const misuse = { type: 'StripeIdempotencyError', rawType: 'idempotency_error', statusCode: 400 };
  await assert.rejects(create(100), misuse);
  await assert.rejects(stripe.customers.create({}, { idempotencyKey }), misuse);
  nowMs += 1;
  assert.notEqual((await create()).id, first.id);
  const declined = { ...payment, confirm: true, payment_method: 'pm_card_visa_chargeDeclined' };
  const pay = () => stripeError(stripe.paymentIntents.create(declined, { idempotencyKey: 'pay' }));
  assert.equal((await pay()).charge, (await pay()).charge);
});

// https://docs.stripe.com/error-low-level#idempotency
test('R4.5 a key in use gets 409, which the SDK retries, also after the first client gave up', async (t) => {
  const { sandbox, arrived, goOn, isReplayed, made } = await startWithFault(t);
  const controller = new AbortController();
  const first = createOnce(sandbox, controller.signal);
  await arrived;
  controller.abort();
  await assert.rejects(first, { name: 'AbortError' });
  const busy = await createOnce(sandbox);
  assert.deepEqual([busy.status, busy.headers.get('stripe-should-retry')], [409, 'true']);
  const patient = connect(sandbox, SANDBOX_KEYS.secretKey, 2);
  const retried = patient.paymentIntents.create(payment, { idempotencyKey });
  goOn();
  assert.ok((await retried).id);
  assert.deepEqual([await isReplayed(), await made()], [true, 1]);
});

// https://docs.stripe.com/error-low-level#server-errors and https://docs.stripe.com/error-low-level#network-errors
for (const carryOut of [true, false])
  test(`R4.5 a key repeats a saved server error; after a reset it shows whether the intent was made: ${carryOut}`, async (t) => {
    const failing = await startWithFault(t, { kind: 'answer-500', carryOut });
    const first = await stripeError(failing.create());
    assert.deepEqual([first.statusCode, first.headers?.['stripe-should-retry']], [500, 'false']);
    const second = await stripeError(failing.create());
    assert.deepEqual([second.statusCode, second.headers?.['idempotent-replayed']], [500, 'true']);
    assert.equal(await failing.made(), carryOut ? 1 : 0);
    const { sandbox, isReplayed, made } = await startWithFault(t, { kind: 'reset', carryOut });
    await assert.rejects(createOnce(sandbox), TypeError);
    assert.equal(await made(), carryOut ? 1 : 0);
    assert.deepEqual([await isReplayed(), await made()], [carryOut, 1]);
  });

// https://docs.stripe.com/rate-limits; the bodies are recorded in codecombat issue 2588 and dj-stripe issue 1917
for (const [kind, code, isRetried] of [
  ['rate-limit', 'rate_limit', false],
  ['lock-timeout', 'lock_timeout', true],
] as const)
  test(`429 as ${code} does nothing and leaves the key free; whether the SDK tries again: ${isRetried}`, async (t) => {
    const { create, isReplayed, made } = await startWithFault(t, { kind });
    const { type, rawType, code: told, headers } = await stripeError(create());
    assert.deepEqual([type, rawType, told], ['StripeRateLimitError', 'invalid_request_error', code]);
    assert.equal(headers?.['stripe-rate-limited-reason'], isRetried ? undefined : 'global-rate');
    assert.deepEqual([await made(), await isReplayed()], [0, false]);
    const { sandbox } = await startWithFault(t, { kind });
    const tried = connect(sandbox, SANDBOX_KEYS.secretKey, 2).paymentIntents.create(payment);
    if (isRetried) assert.ok((await tried).id);
    else assert.equal((await stripeError(tried)).code, code);
  });
