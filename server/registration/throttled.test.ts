import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { noLimits } from '#scripts/product/environment.ts';
import type { Intercept } from '#scripts/stripe-sandbox/sandbox.ts';
import { FOR_VISITORS } from '#server/payments/patient-client.ts';
import { startTestSite, submitContact } from '#server/testing/test-site.ts';
import { PROVIDER_BUSY } from '#shared/registration.ts';

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
