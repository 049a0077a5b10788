import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createWaitingLine } from './registration-limits.ts';

const refusal = { limit: 'registrations-overall', waitMs: 5 };
const never = async () => refusal;

describe('the waiting line', () => {
  test('serves in order of arrival, each visitor once there is a slot', async () => {
    const line = createWaitingLine({ patienceMs: 5_000, most: 3 });
    const served: string[] = [];
    const wait = (name: string, refusals: number) => {
      let asked = 0;
      return line.wait(name, refusal, async () => {
        asked += 1;
        if (asked <= refusals) return refusal;
        served.push(name);
        return undefined;
      });
    };
    const waits = [wait('first', 3), wait('second', 0), wait('third', 1)];
    assert.deepEqual(await Promise.all(waits), [undefined, undefined, undefined]);
    assert.deepEqual(served, ['first', 'second', 'third']);
  });

  test('has a maximum length, and takes nobody twice', async () => {
    const line = createWaitingLine({ patienceMs: 100, most: 2 });
    const waiting = [line.wait('first', refusal, never), line.wait('second', refusal, never)];
    assert.equal(await line.wait('third', refusal, never), refusal);
    await Promise.all(waiting);
    const alone = line.wait('first', refusal, never);
    assert.equal(await line.wait('first', refusal, never), refusal);
    await alone;
  });

  test('turns away visitors who have waited too long, at the head or further back', async () => {
    const line = createWaitingLine({ patienceMs: 30, most: 5 });
    const waits = ['first', 'second'].map((name) => line.wait(name, refusal, never));
    assert.deepEqual(await Promise.all(waits), [refusal, refusal]);
    assert.equal(await line.wait('third', refusal, async () => undefined), undefined);
  });

  test('does not wait for another limit', async () => {
    const line = createWaitingLine({ patienceMs: 5_000, most: 5 });
    const other = { limit: 'registrations-by-address', waitMs: 600_000 };
    assert.equal(await line.wait('first', refusal, async () => other), other);
  });
});
