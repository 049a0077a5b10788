import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { noLimits } from '#scripts/product/environment.ts';
import { FOR_VISITORS } from '#server/payments/patient-client.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { submitContact } from '#server/testing/test-visitor.ts';
import { PROVIDER_BUSY } from '#shared/registration.ts';

const VISITORS = 60;
const CALLS_PER_SECOND = 10;

/** How many places somebody may end before or after where she came: those at work at once overtake each other. */
const OVERTAKEN = 20;

describe('R4.5 Stripe throttles: registrations wait their turn', () => {
  test('60 visitors within 3 s, and ten calls a second: all register, in fair order, once', async (t) => {
    const site = await startTestSite(t, {
      env: noLimits,
      patience: FOR_VISITORS,
      throttle: { callsPerSecond: CALLS_PER_SECOND },
    });
    const done: number[] = [];
    const waits: number[] = [];
    /** As the page does: the same request under the same key, once the seconds are over. */
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
    const displaced = done.map((number, place) => Math.abs(number - place));
    const metrics = await site.metrics.metrics();
    t.diagnostic(
      `${seconds.toFixed(1)} s, displaced ${displaced.join(' ')}, waits ${waits.join(' ')}\n${metrics
        .split('\n')
        .filter((line) => /^stripe_(throttled|call_duration_seconds_count)/.test(line))
        .join('\n')}`,
    );
    assert.ok(Math.max(...displaced) <= OVERTAKEN, `displaced by ${Math.max(...displaced)}`);
  });
});
