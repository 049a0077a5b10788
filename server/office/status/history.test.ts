import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Count, createHistory } from './history.tsx';

const START = Date.parse('2025-12-21T00:00:00Z');
const minute = (count: number): Date => new Date(START + count * 60_000);
const counts = (requests: number): ReadonlyMap<Count, number> => new Map([['requests', requests]]);

describe('the last 24 hours in memory', () => {
  test('adds up counts within a minute and keeps the highest level', () => {
    const history = createHistory();
    history.add(minute(0), counts(2), { memoryBytes: 5 });
    history.add(minute(0.5), counts(3), { memoryBytes: 4 });
    assert.equal(history.minutes('requests', minute(1)).at(-1), 5);
    assert.equal(history.minutes('memoryBytes', minute(1)).at(-1), 5);
    assert.equal(history.minutes('oldestMailSeconds', minute(1)).at(-1), undefined);
  });

  test('the current minute counts in sums, but is not in the list of minutes', () => {
    const history = createHistory();
    history.add(minute(0), counts(2), {});
    history.add(minute(1), counts(3), {});
    assert.deepEqual(history.minutes('requests', minute(1.5)).slice(-2), [undefined, 2]);
    assert.equal(history.sum('requests', 2, minute(1.5)), 5);
    assert.equal(history.sum('requests', 1, minute(1.5)), 3);
  });

  test('after three days it holds the last 1,440 minutes, in as much memory as at first', () => {
    const history = createHistory();
    const { bytes } = history;
    assert.ok(bytes < 100_000, `${bytes} bytes`);
    const last = 3 * 1_440;
    for (let at = 0; at <= last; at++) history.add(minute(at), counts(at), { mailsWaiting: at });
    const kept = Array.from({ length: 1_440 }, (_, index) => last - 1_440 + index);
    assert.deepEqual(history.minutes('requests', minute(last)), kept);
    assert.deepEqual(history.minutes('mailsWaiting', minute(last)), kept);
    assert.equal(history.bytes, bytes);
  });

  test('after a jump of the clock the skipped minutes are empty, and old ones do not come back', () => {
    const history = createHistory();
    history.add(minute(0), counts(1), {});
    history.add(minute(1_441), counts(2), {});
    const minutes = history.minutes('requests', minute(1_442));
    assert.equal(minutes.at(-1), 2);
    assert.deepEqual(new Set(minutes.slice(0, -1)), new Set([undefined]));
    assert.equal(history.sum('requests', 1_440, minute(1_442)), 2);
  });
});
