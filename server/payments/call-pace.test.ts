import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallPace } from './patient-client.ts';

const FIRST_MS = 20;

/** Refuses a call until it is retried, and returns how long that took, in milliseconds. */
async function backoffMs(pace: ReturnType<typeof createCallPace>) {
  const call = await pace.enter('read');
  const startMs = performance.now();
  const again = await call.refused();
  return { again, ms: performance.now() - startMs };
}

test('R4.5 a call whose connection fails does not shorten the backoff that Stripe asked for; an answer does', async () => {
  const pace = createCallPace({ firstMs: FIRST_MS, longestMs: 1_000 * FIRST_MS });
  // Each backoff is at random half to all of its length, which doubles: 20, 40, 80, 160, 320 and 640 ms.
  for (let time = 0; time < 5; time += 1) (await backoffMs(pace)).again.failed();
  const { again, ms } = await backoffMs(pace);
  assert.ok(ms >= 300, `${ms} ms`);
  again.answered();
  const times: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const { again, ms } = await backoffMs(pace);
    again.answered();
    times.push(ms);
  }
  assert.ok(Math.min(...times) < 300, `${times} ms`);
});

test('R4.5 calls that are refused together are retried in the order in which they first came', async () => {
  const pace = createCallPace({ firstMs: FIRST_MS, longestMs: 1_000 * FIRST_MS });
  const sent: string[] = [];
  const together = ['first', 'second', 'third'];
  const calls = await Promise.all(together.map(() => pace.enter('write')));
  const done = calls.map(async (call, at) => {
    const again = await call.refused();
    sent.push(together[at] ?? '');
    again.answered();
  });
  const later = pace.enter('write').then((call) => {
    sent.push('later');
    call.answered();
  });
  await Promise.all([...done, later]);
  assert.deepEqual(sent, [...together, 'later']);
});
