import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { createRegistrationList, type RegistrationList } from '#server/register/registration-list.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { testDatabase } from '#server/testing/test-database.ts';
import { openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { createRegistrationIndex, type IndexDependencies } from './registration-index.ts';

const NOW = new Date('2025-12-10T12:00:00-08:00');
const first = recordWith({ id: 'pi_1' });
const second = recordWith({ id: 'pi_2' });
const third = recordWith({ id: 'pi_3' });

async function startIndex(t: TestContext, times: IndexDependencies['times'] = {}) {
  const redis = await testRedis(t);
  const { queue, letterLog, log } = await openTestQueue(t, redis);
  await log.until('Redis is connected');
  const { database } = await testDatabase(t);
  const registrationList = createRegistrationList(database);
  const put = (...records: RegistrationRecord[]) => putOnRecord(database, records);
  await put(first, second);
  /** The number of registrations that each query read. */
  const reads: number[] = [];
  const watched: Pick<RegistrationList, 'changesSince' | 'findSome'> = {
    async changesSince(...asked) {
      const changes = await registrationList.changesSince(...asked);
      reads.push(changes.ids.length);
      return changes;
    },
    findSome: registrationList.findSome,
  };
  const index = createRegistrationIndex({
    registrationList: watched,
    mailQueue: queue,
    letterLog,
    now: () => NOW,
    times,
  });
  const ids = async () => (await index.list(edition)).rows.map(({ record }) => record.id);
  return { redis, put, index, ids, reads, log };
}

describe('the registrations in memory', () => {
  test('are read once, and then only those that have changed', async (t) => {
    const { index, ids, reads, put } = await startIndex(t);
    index.warm(edition);
    assert.deepEqual(await ids(), ['pi_1', 'pi_2']);
    assert.deepEqual(await ids(), ['pi_1', 'pi_2']);
    await put(third);
    assert.deepEqual(await ids(), ['pi_1', 'pi_2', 'pi_3']);
    assert.deepEqual(reads, [2, 0, 0, 1]);
  });

  test('answer each of several concurrent queries with the state at its own time', async (t) => {
    const { ids, put } = await startIndex(t);
    const before = ids();
    await put(third);
    assert.deepEqual((await Promise.all([before, ids(), ids()])).at(-1), ['pi_1', 'pi_2', 'pi_3']);
  });

  test('are dropped when nobody has asked for a while', async (t) => {
    const { ids, reads } = await startIndex(t, { unusedMs: 20 });
    await ids();
    await pause(40);
    assert.deepEqual(
      [await ids(), reads],
      [
        ['pi_1', 'pi_2'],
        [2, 2],
      ],
    );
  });

  test('cannot be read while Redis is away, and then with what has changed meanwhile', async (t) => {
    const { ids, redis, log, put } = await startIndex(t);
    await ids();
    await redis.stop();
    await log.until('Redis is not available');
    await assert.rejects(ids());
    await redis.start();
    await log.until('Redis is connected', 2);
    await put(third);
    assert.deepEqual(await ids(), ['pi_1', 'pi_2', 'pi_3']);
  });
});
