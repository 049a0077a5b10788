import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '#server/http/app-error.ts';
import { createTurns } from './patient-client.ts';

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
