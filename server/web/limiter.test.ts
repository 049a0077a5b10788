import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { connectProducer } from '#server/ops/connect-redis.ts';
import { Metrics } from '#server/ops/metrics.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { createLimiter, type Point } from './limiter.ts';

/** Five new registrations of one address, six in all; in Redis, two processes count together. */
async function start(t: TestContext, isRedisThere: boolean) {
  const server = await testRedis(t);
  if (!isRedisThere) await server.stop();
  const { logger } = createTestLog();
  const startProcess = async () => {
    const redis = connectProducer(server.url, logger, 5_000);
    cleanUp(t, async () => redis.disconnect());
    if (isRedisThere) await once(redis, 'ready');
    const settings = { perAddress: 5, overall: 6 };
    return {
      redis,
      limiter: createLimiter({ redis, secrets: ['secret'], settings, logger, metrics: new Metrics() }),
    };
  };
  const { redis, limiter } = await startProcess();
  const other = isRedisThere ? (await startProcess()).limiter : limiter;
  const takeTimes = async (count: number, ...points: Point[]): Promise<number> => {
    const refusals = await Promise.all(
      Array.from({ length: count }, (_, time) => (time % 2 ? other : limiter).take(...points)),
    );
    return refusals.filter((refusal) => refusal === undefined).length;
  };
  return { server, redis, limiter, takeTimes };
}

const address = (of: string): Point => ['registrations-by-address', of];
const OVERALL: Point = ['registrations-overall', ''];

for (const isRedisThere of [true, false]) {
  describe(`a limiter, ${isRedisThere ? 'in Redis' : 'in memory while Redis is away'}`, () => {
    test('takes a point of every limit or of none, and names the limit that refuses longest', async (t) => {
      const { limiter, takeTimes } = await start(t, isRedisThere);
      assert.equal(await takeTimes(5, address('192.0.2.1'), OVERALL), 5);
      assert.equal(await takeTimes(9, address('192.0.2.1'), OVERALL), 0);
      const refusal = await limiter.take(address('192.0.2.1'), OVERALL);
      assert.equal(refusal?.limit, 'registrations-by-address');
      assert.ok(refusal.waitS > 590 && refusal.waitS <= 600, `${refusal.waitS}`);
      assert.equal(await takeTimes(9, address('192.0.2.2'), OVERALL), 1, 'the refused took none of all');
      assert.equal((await limiter.take(address('192.0.2.2'), OVERALL))?.limit, 'registrations-overall');
      assert.equal(await takeTimes(9, address('192.0.2.2')), 4, 'nor of their address');
    });

    test('points that are given back can be taken again, but no more than were taken', async (t) => {
      const { limiter, takeTimes } = await start(t, isRedisThere);
      const point = address('192.0.2.1');
      assert.equal(await limiter.isTaken(point), false);
      await limiter.giveBack(point);
      assert.equal(await takeTimes(9, point), 5);
      assert.equal(await limiter.isTaken(point), true);
      await limiter.giveBack(point, point);
      assert.equal(await takeTimes(9, point), 2);
    });

    test('an IPv6 network has four times the points of an address, and a mailbox is one with any tag', async (t) => {
      const { limiter, takeTimes } = await start(t, isRedisThere);
      let admitted = 0;
      for (let host = 1; host <= 9; host += 1)
        admitted += await takeTimes(5, address(`2001:db8:1:${host}::`));
      assert.equal(admitted, 20);
      assert.equal(await limiter.take(address('2001:db8:2::')), undefined);
      const refusals = [];
      for (const name of ['wilma', 'Wilma+1', 'wilma+', 'wilma+2+3', 'w.ilma'])
        refusals.push((await limiter.take(['letters-by-email', `${name}@example.org`]))?.limit);
      assert.deepEqual(refusals, [undefined, undefined, undefined, 'letters-by-email', undefined]);
    });
  });
}

test('a flood of refused requests takes nothing that others share, not even for a moment', async (t) => {
  const { redis, limiter, takeTimes } = await start(t, true);
  assert.equal(await takeTimes(5, address('192.0.2.1'), OVERALL), 5);
  const keysBefore = await redis.keys('*');
  const flood = Array.from({ length: 20 }, (_, time) =>
    limiter.take(address('192.0.2.1'), ['sign-in-name', `made-up-${time}`], OVERALL),
  );
  const other = limiter.take(address('192.0.2.2'), OVERALL);
  assert.ok((await Promise.all(flood)).every((refusal) => refusal?.limit === 'registrations-by-address'));
  assert.equal(await other, undefined);
  const keys = await redis.keys('*');
  assert.equal(keys.length, keysBefore.length + 1, 'one key, of the other visitor');
});

test('what was taken under a name is given back once, and Redis holds no address', async (t) => {
  const { redis, limiter, takeTimes } = await start(t, true);
  const point = address('2001:db8:1:1::');
  assert.equal(await takeTimes(5, point), 5);
  await limiter.remember('registration', [[point, 2]]);
  const names = await redis.keys('limits:*');
  assert.equal(names.length, 3);
  for (const text of [...names, ...(await redis.mget(names))]) assert.doesNotMatch(String(text), /2001|db8/);
  for (const _again of [1, 2]) await limiter.giveBackTaken('registration');
  assert.equal(await takeTimes(9, point), 2);
});

test('what can be taken once stays taken when Redis goes away, and when it comes back', async (t) => {
  const { server, redis, limiter } = await start(t, true);
  const [before, meanwhile]: Point[] = [
    ['code-steps', 'office:1'],
    ['code-steps', 'office:2'],
  ];
  assert.ok(before && meanwhile);
  const both = [limiter.takeOnce(before), limiter.takeOnce(before)];
  assert.deepEqual((await Promise.all(both)).toSorted(), [false, true]);
  // Not by `once` of Node, which rejects when a connection is refused meanwhile.
  const until = (event: string) => new Promise<void>((resolve) => redis.once(event, () => resolve()));
  const gone = until('close');
  await server.stop();
  await gone;
  assert.deepEqual([await limiter.takeOnce(before), await limiter.takeOnce(meanwhile)], [false, true]);
  const ready = until('ready');
  await server.start();
  await ready;
  for (const point of [before, meanwhile])
    assert.deepEqual([await limiter.isTaken(point), await limiter.takeOnce(point)], [true, false]);
});
