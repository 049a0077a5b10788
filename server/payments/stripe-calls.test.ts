import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '#server/http/app-error.ts';
import { createCallPace, createTurns } from './patient-client.ts';
import { untraced } from './stripe-calls.ts';

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

const VISITORS = 40;

test('R4.5 visitors who cannot be served soon get different times to retry; the others are served in order', async () => {
  const turns = createTurns(1);
  turns.throttled();
  const served: number[] = [];
  const sentAway: number[] = [];
  const visit = async (number: number): Promise<void> => {
    try {
      await turns.take(async () => {
        await pause(20);
        served.push(number);
      });
    } catch (error) {
      assert.ok(error instanceof AppError && error.status === 503);
      sentAway.push(error.retryAfterS ?? 0);
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, (_, number) => visit(number)));
  assert.equal(served.length + sentAway.length, VISITORS);
  assert.ok(served.length > 5 && sentAway.length > 5, `${served.length} served`);
  assert.deepEqual(
    served,
    served.map((_, place) => place),
  );
  // Before anybody was served, one second per visitor is assumed; nobody retries within two seconds.
  assert.deepEqual(
    sentAway.slice(0, 5).map((seconds) => Math.round(seconds)),
    [2, 2, 3, 4, 5],
  );
});

test('where Stripe does not throttle, nobody is sent away', async () => {
  const turns = createTurns(1);
  const work = () => turns.take(() => pause(5));
  await Promise.all(Array.from({ length: VISITORS }, work));
});

test('a turn that fails makes room like one that succeeds', async () => {
  const turns = createTurns(1);
  await assert.rejects(turns.take(() => Promise.reject(new Error('no'))));
  await turns.take(async () => undefined);
});

function traceOf(error: Error): string {
  return (error.stack ?? '').replace(String(error), '');
}

describe('an untraced call', () => {
  test('creates its errors without a stack trace, and returns its result', () => {
    assert.equal(
      untraced(() => traceOf(new Error('Unread'))),
      '',
    );
  });

  test('keeps the stack traces of all other errors, even after a failure', () => {
    const fail = (): never => {
      throw new Error('Refused');
    };
    assert.throws(() => untraced(fail), /Refused/);
    assert.match(traceOf(new Error('Read')), /stripe-calls\.test\.ts/);
  });

  test('keeps the stack traces of errors after the call', async () => {
    const trace = await untraced(async () => {
      await Promise.resolve();
      return traceOf(new Error('Read'));
    });
    assert.match(trace, /stripe-calls\.test\.ts/);
  });
});
