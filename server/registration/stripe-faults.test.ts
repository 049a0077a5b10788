import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { noLimits } from '#scripts/product/environment.ts';
import type { Fault, Intercept } from '#scripts/stripe-sandbox/sandbox.ts';
import { FOR_VISITORS } from '#server/payments/patient-client.ts';
import { startTestSite, submitContact } from '#server/testing/test-site.ts';
import { PROVIDER_BUSY } from '#shared/registration.ts';

/** A site whose Stripe answers the first requests to one path with these faults, in order. */
async function startFaultySite(t: TestContext, faultyPath: string, faults: readonly Fault[]) {
  const left = [...faults];
  const site = await startTestSite(t, {
    stripePatience: { timeoutMs: 300, patience: { withinMs: 5_000, firstMs: 20, longestMs: 40 } },
    intercept: ({ method, path }) => (method === 'POST' && path === faultyPath ? left.shift() : undefined),
  });
  const submit = () => submitContact(site.app);
  return { ...site, submit };
}

async function assertMadeOnce({ stripe }: Awaited<ReturnType<typeof startTestSite>>): Promise<void> {
  const customers = await stripe.customers.list();
  const intents = await stripe.paymentIntents.list();
  assert.deepEqual([customers.data.length, intents.data.length], [1, 1]);
}

const never = new Promise<never>(() => {});

/** What goes wrong, and how often the visitor must press the button until it works. */
const faultKinds: readonly [string, readonly Fault[], number][] = [
  ['answers 500, saved, having made it', [{ kind: 'answer-500', carryOut: true }], 2],
  ['answers 500, saved, having made nothing', [{ kind: 'answer-500', carryOut: false }], 2],
  ['answers 429', [{ kind: 'rate-limit' }, { kind: 'rate-limit' }], 1],
  ['resets the connection, having made it', [{ kind: 'reset', carryOut: true }], 1],
  ['resets the connection, having made nothing', [{ kind: 'reset', carryOut: false }], 1],
  ['hangs', [{ kind: 'hang' }, { kind: 'hang' }], 2],
  ['replies after the client gave up', [{ kind: 'late-answer', until: never }], 1],
];

describe('R4.5 Stripe fails: the visitor presses again, and there is one customer and one payment', () => {
  for (const path of ['/v1/customers', '/v1/payment_intents']) {
    for (const [what, faults, presses] of faultKinds) {
      test(`${path} ${what}`, async (t) => {
        const site = await startFaultySite(t, path, faults);
        for (let press = 1; press < presses; press += 1) {
          const { status, body, headers } = await site.submit();
          assert.ok([502, 504].includes(status), `press ${press} got ${status}`);
          assert.equal(body.error.message, 'An unexpected error occurred');
          assert.equal(headers['cache-control'], 'no-store');
        }
        const { body } = await site.submit().expect(200);
        assert.match(body.paymentIntentClientSecret, /^pi_\w+_secret_/);
        await assertMadeOnce(site);
        await site.submit().expect(200, body);
        await assertMadeOnce(site);
      });
    }
  }

  test('the first request is still in progress when the second comes: the second waits for its answer', async (t) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const site = await startTestSite(t, {
      intercept: async ({ method, path }) => {
        if (method === 'POST' && path === '/v1/customers') await held;
        return undefined;
      },
      log: (line) => line.includes('/v1/customers 409') && release(),
    });
    const submit = () => submitContact(site.app);
    const [first, second] = await Promise.all([submit(), submit()]);
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.deepEqual(first.body, second.body);
    await assertMadeOnce(site);
  });
});

const VISITORS = 60;
const CALLS_PER_SECOND = 10;

/** How many positions somebody may finish before or after her arrival: 16 are served at once. */
const OVERTAKEN = 16;

/** Each makes two calls: 12 s at least. */
const LONGEST_S = 90;

/** Refuses calls beyond a limit, as Stripe does: a bucket of one second's calls, which fills evenly. */
function allowing(callsPerSecond: number): Intercept {
  let left = callsPerSecond;
  let filledMs = performance.now();
  return () => {
    const nowMs = performance.now();
    left = Math.min(callsPerSecond, left + ((nowMs - filledMs) / 1000) * callsPerSecond);
    filledMs = nowMs;
    if (left < 1) return { kind: 'rate-limit' };
    left -= 1;
    return undefined;
  };
}

describe('R4.5 Stripe throttles: registrations wait their turn', () => {
  test('60 visitors within 3 s, and ten calls a second: all register, in fair order, once', async (t) => {
    const site = await startTestSite(t, {
      env: noLimits,
      stripePatience: { patience: FOR_VISITORS },
      intercept: allowing(CALLS_PER_SECOND),
    });
    const done: number[] = [];
    const waits: number[] = [];
    /** As the page does: repeats the same request with the same key after the seconds of `Retry-After`. */
    const visit = async (number: number): Promise<void> => {
      for (;;) {
        const email = `visitor-${number}@example.org`;
        const key = String(number).padStart(32, 'k');
        const { status, body, headers } = await submitContact(site.app, { email }, key);
        if (status === 200) return void done.push(number);
        assert.deepEqual([status, body.error.code], [503, PROVIDER_BUSY]);
        waits.push(Number(headers['retry-after']));
        await pause(Number(headers['retry-after']) * 1000);
      }
    };
    const startMs = performance.now();
    await Promise.all(
      Array.from({ length: VISITORS }, async (_, number) => {
        await pause((number * 3_000) / VISITORS);
        await visit(number);
      }),
    );
    const seconds = (performance.now() - startMs) / 1000;
    const displaced = Math.max(...done.map((number, place) => Math.abs(number - place)));
    t.diagnostic(`${seconds.toFixed(1)} s, overtaken by ${displaced} at most, ${waits.length} sent away`);
    assert.ok(displaced <= OVERTAKEN, `overtaken by ${displaced}`);
    assert.ok(seconds <= LONGEST_S, `${seconds} s`);
    await pause(1_000);
    const customers = (await site.stripe.customers.list({ limit: 100 })).data;
    const intents = (await site.stripe.paymentIntents.list({ limit: 100 })).data;
    assert.deepEqual([customers.length, intents.length], [VISITORS, VISITORS]);
    assert.equal(new Set(intents.map(({ receipt_email }) => receipt_email)).size, VISITORS);
    assert.match(await site.metrics.metrics(), /stripe_throttled_total\{reason="global-rate"\} [1-9]/);
  });

  test('R4.5 a request that waits for Stripe does not use up the limit of its address, however often the page repeats it', async (t) => {
    const site = await startTestSite(t, { intercept: allowing(1) });
    const key = 'k'.repeat(32);
    const statuses: number[] = [];
    for (let time = 0; time < 25; time += 1) {
      statuses.push((await submitContact(site.app, { email: 'wilma@example.org' }, key)).status);
    }
    assert.ok(statuses.filter((status) => status === 503).length >= 20, statuses.join(' '));
    assert.equal(statuses.includes(429), false, statuses.join(' '));
  });
});
