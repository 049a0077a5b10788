import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import Stripe from 'stripe';
import type { Fault } from './fault.ts';
import { connect, SANDBOX_KEYS, type Sandbox } from './sandbox.ts';
import { paid, payment, startLogged, stripeError } from './test-sandbox.ts';

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
  const running = await startLogged(t, {
    intercept: async ({ method }) => {
      if (method !== 'POST' || faults.length === 0) return undefined;
      steps.emit('arrived');
      if (!fault) await mayGoOn;
      return faults.shift();
    },
  });
  const { stripe } = running;
  const create = (key = idempotencyKey) => stripe.paymentIntents.create(payment, { idempotencyKey: key });
  const isReplayed = async (key?: string) =>
    (await create(key)).lastResponse.headers['idempotent-replayed'] === 'true';
  const made = async () => (await stripe.paymentIntents.list()).data.length;
  return { ...running, arrived, goOn: () => steps.emit('go on'), create, isReplayed, made };
}

// https://docs.stripe.com/api/idempotent_requests
test('R4.5 a key repeats the first answer for 24 hours, and refuses other parameters', async (t) => {
  let nowMs = Date.UTC(2025, 11, 1);
  const { stripe } = await startLogged(t, { clock: { now: () => nowMs } });
  const create = () => stripe.paymentIntents.create(payment, { idempotencyKey });
  const first = await create();
  assert.equal(first.created, nowMs / 1000);
  nowMs += 24 * 60 * 60 * 1000 - 1;
  const again = await create();
  assert.deepEqual([again.id, again.lastResponse.headers['idempotent-replayed']], [first.id, 'true']);
  assert.equal(again.lastResponse.headers['original-request'], first.lastResponse.requestId);
  const misuse = { type: 'StripeIdempotencyError', rawType: 'idempotency_error', statusCode: 400 };
  const other = { ...payment, amount: 100 };
  await assert.rejects(stripe.paymentIntents.create(other, { idempotencyKey }), misuse);
  await assert.rejects(stripe.customers.create({}, { idempotencyKey }), misuse);
  nowMs += 1;
  assert.notEqual((await create()).id, first.id);
});

// https://docs.stripe.com/api/idempotent_requests
test('R4.5 refused parameters leave the key free, a declined card does not', async (t) => {
  const { stripe } = await startLogged(t);
  const small = { ...payment, amount: 1 };
  await assert.rejects(stripe.paymentIntents.create(small, { idempotencyKey }), { code: 'amount_too_small' });
  assert.ok(await stripe.paymentIntents.create(payment, { idempotencyKey }));
  const declined = { ...paid, payment_method: 'pm_card_visa_chargeDeclined' };
  const pay = () => stripeError(stripe.paymentIntents.create(declined, { idempotencyKey: 'pay' }));
  assert.equal((await pay()).charge, (await pay()).charge);
  assert.equal((await stripe.charges.list()).data.length, 1);
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
  assert.equal((await busy.json()).error.code, 'idempotency_key_in_use');
  const patient = connect(sandbox, SANDBOX_KEYS.secretKey, 2);
  const retried = patient.paymentIntents.create(payment, { idempotencyKey });
  goOn();
  assert.ok((await retried).id);
  assert.deepEqual([await isReplayed(), await made()], [true, 1]);
});

// https://docs.stripe.com/error-low-level#server-errors
for (const carryOut of [true, false]) {
  const effect = carryOut ? 'although the intent was made' : 'with nothing done';
  test(`R4.5 every retry with its key gets the saved server error, ${effect}`, async (t) => {
    const { create, made } = await startWithFault(t, { kind: 'answer-500', carryOut });
    const first = await stripeError(create());
    assert.deepEqual([first.statusCode, first.rawType], [500, 'api_error']);
    assert.equal(first.headers?.['stripe-should-retry'], 'false');
    const second = await stripeError(create());
    assert.deepEqual([second.statusCode, second.headers?.['idempotent-replayed']], [500, 'true']);
    await create('another');
    assert.equal(await made(), carryOut ? 2 : 1);
  });

  // https://docs.stripe.com/error-low-level#network-errors
  test(`R4.5 a retry after a connection reset ${effect} shows whether the intent was made`, async (t) => {
    const { sandbox, isReplayed, made, lines } = await startWithFault(t, { kind: 'reset', carryOut });
    await assert.rejects(createOnce(sandbox), TypeError);
    assert.equal(await made(), carryOut ? 1 : 0);
    assert.equal(lines.filter((line) => line.includes('unanswered')).length, 1);
    assert.deepEqual([await isReplayed(), await made()], [carryOut, 1]);
  });
}

// https://docs.stripe.com/rate-limits
test('a rate limit has Stripe’s error code, does nothing, and leaves the key free', async (t) => {
  const { create, isReplayed, made } = await startWithFault(t, { kind: 'rate-limit' });
  const refused = await stripeError(create());
  assert.deepEqual([refused.type, refused.code], ['StripeRateLimitError', 'rate_limit']);
  assert.equal(refused.headers?.['stripe-rate-limited-reason'], 'global-rate');
  assert.deepEqual([await made(), await isReplayed()], [0, false]);
});

// https://docs.stripe.com/api/idempotent_requests
test('R4.5 what the interceptor throws is answered, and leaves the key free', async (t) => {
  const failures = [new Error('down')];
  const { stripe } = await startLogged(t, {
    intercept: () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return undefined;
    },
  });
  const create = () => stripe.customers.create({}, { idempotencyKey });
  await assert.rejects(create, { statusCode: 500, rawType: 'api_error' });
  assert.match((await create()).id, /^cus_/);
});

// https://docs.stripe.com/error-low-level#network-errors
test('R4.5 a late answer is saved; a request that hangs does nothing; closing the sandbox ends both', async (t) => {
  const never = new Promise<never>(() => {});
  const late = await startWithFault(t, { kind: 'late-answer', until: never });
  const hanging = await startWithFault(t, { kind: 'hang' });
  for (const { sandbox, arrived, isReplayed, made } of [late, hanging]) {
    const controller = new AbortController();
    const given = createOnce(sandbox, controller.signal);
    await arrived;
    controller.abort();
    await assert.rejects(given, { name: 'AbortError' });
    assert.equal(await isReplayed(), sandbox === late.sandbox);
    assert.equal(await made(), 1);
  }
  const { arrived, create, sandbox } = await startWithFault(t, { kind: 'late-answer', until: never });
  const lost = assert.rejects(create(), Stripe.errors.StripeConnectionError);
  await arrived;
  await sandbox.close();
  await lost;
});

// https://docs.stripe.com/keys
test('a publishable key sees the public fields of an intent whose secret it knows, and no more', async (t) => {
  const { stripe, browser, sandbox } = await startLogged(t);
  const customer = (await stripe.customers.create({})).id;
  const metadata = { name: 'Ada' };
  for (const intent of [
    await stripe.paymentIntents.create({ ...payment, customer, metadata }),
    await stripe.setupIntents.create({ customer, metadata }),
  ]) {
    const path = `/v1/${intent.object}s/${intent.id}`;
    const seen = await browser.call(`${path}?client_secret=${intent.client_secret}`);
    const declined = await browser.confirm(intent, '4000000000000002');
    assert.deepEqual([seen.body.id, declined.status], [intent.id, 402]);
    for (const { text } of [seen, declined]) assert.ok(!text.includes(customer) && !text.includes('Ada'));
    assert.equal((await browser.call(path)).body.error.param, 'client_secret');
  }
  const publishable = connect(sandbox, SANDBOX_KEYS.publishableKey);
  for (const forbidden of [
    publishable.customers.list(),
    publishable.charges.list(),
    publishable.refunds.create({ charge: 'ch_1' }),
    publishable.paymentIntents.update('pi_1', { amount: 100 }),
  ]) {
    await assert.rejects(forbidden, { statusCode: 403, code: 'secret_key_required' });
  }
  const preflight = async (Origin: string) => {
    const { headers } = await fetch(`${sandbox.url}/v1/payment_methods`, {
      method: 'OPTIONS',
      headers: { Origin },
    });
    return headers.get('access-control-allow-origin');
  };
  assert.equal(await preflight('http://127.0.0.1:3000'), 'http://127.0.0.1:3000');
  assert.equal(await preflight('https://localhost.example.com'), null);
});
