import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { connectProducer } from '#server/redis/connect-redis.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { createCapacity } from './capacity.ts';
import { capacityInRedis } from './capacity-in-redis.ts';

const now = () => new Date(edition.tryOutFrom);

/** Two replicas of the app on one Redis, with one place between them. */
async function open(t: TestContext) {
  const server = await testRedis(t);
  const facts = { ...edition.facts, places: 1 };
  const replica = async () => {
    const { logger } = createTestLog();
    const redis = connectProducer(server.settings, logger);
    await once(redis, 'ready');
    const capacity = createCapacity({
      ...{ redis, facts, now, logger, redisTimeoutMs: 5_000, lookEveryMs: 50 },
      watcher: { uncounted() {} },
    });
    cleanUp(t, async () => {
      capacity.close();
      redis.disconnect();
    });
    return { redis, capacity };
  };
  const [first, second] = [await replica(), await replica()];
  await capacityInRedis(first.redis, now).note(facts, 1e15, [], true);
  return { facts, first, second };
}

test('a retreat that another process fills is seen as full soon, and no request waits for that', async (t) => {
  const { facts, first, second } = await open(t);
  assert.deepEqual([first.capacity.isFull(), second.capacity.isFull()], [false, false]);
  await first.capacity.hold(facts, { registration: 'anna' });
  assert.equal(first.capacity.isFull(), true);
  while (!second.capacity.isFull()) await second.redis.ping();
});

test('while Redis is away a retreat is not full', async (t) => {
  const { facts, first } = await open(t);
  await first.capacity.hold(facts, { registration: 'anna' });
  assert.equal(first.capacity.isFull(), true);
  const gone = once(first.redis, 'close');
  first.redis.disconnect();
  await gone;
  assert.equal(first.capacity.isFull(), false);
  assert.equal(await first.capacity.hold(facts, { registration: 'berta' }), 'uncounted');
});

test('a retreat without a number of places is never full, and its places are not read', async (t) => {
  const redis = connectProducer((await testRedis(t)).settings, createTestLog().logger);
  const calls = t.mock.method(redis, 'eval');
  const capacity = createCapacity({
    ...{ redis, facts: edition.facts, now, logger: createTestLog().logger },
    watcher: { uncounted: () => assert.fail('it was reported as uncounted') },
  });
  await once(redis, 'ready');
  assert.equal(await capacity.hold(edition.facts, { registration: 'anna' }), 'uncounted');
  assert.equal(capacity.isFull(), false);
  assert.equal(calls.mock.callCount(), 0);
  redis.disconnect();
});
