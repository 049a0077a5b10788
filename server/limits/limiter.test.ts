import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { cleanUp } from '#server/testing/clean-up.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { type Limit, type Limiter, limiterInMemory, limiterInRedis } from './limiter.ts';

const LIMITERS: Record<string, (t: TestContext) => Promise<Limiter>> = {
  'in memory': async () => limiterInMemory(),
  'in Redis': async (t) => {
    const redis = new Redis((await testRedis(t)).url);
    cleanUp(t, async () => redis.disconnect());
    return limiterInRedis(redis);
  },
};

const two: Limit = { name: 'two', most: 2, windowS: 60 };
const five: Limit = { name: 'five', most: 5, windowS: 60 };
const evenly: Limit = { name: 'evenly', most: 4, windowS: 4, evenly: true };
const receipt = { name: 'receipt', note: { name: 'note', value: 'wilma' }, keptForS: 60 };

/** Timers drop fractions of a millisecond, and may fire one early. */
const past = (ms: number): number => Math.ceil(ms) + 1;

for (const [where, open] of Object.entries(LIMITERS)) {
  describe(`a limiter ${where}`, () => {
    test('takes a slot of every limit or of none, and names the limit that refuses', async (t) => {
      const limiter = await open(t);
      const both = [
        { limit: five, of: 'network' },
        { limit: two, of: 'address' },
      ];
      assert.deepEqual([await limiter.take(both), await limiter.take(both)], [undefined, undefined]);
      const refusals = await Promise.all([limiter.take(both), limiter.take(both), limiter.take(both)]);
      for (const refusal of refusals) {
        assert.equal(refusal?.limit, 'two');
        assert.ok(refusal.waitMs > 50_000 && refusal.waitMs <= 60_000, `${refusal.waitMs}`);
      }
      const network = { limit: five, of: 'network' };
      for (let count = 3; count <= 5; count += 1) assert.equal(await limiter.take([network]), undefined);
      assert.equal((await limiter.take([network]))?.limit, 'five');
      assert.equal(await limiter.take([{ limit: two, of: 'elsewhere' }]), undefined);
    });

    test('slots that are freed evenly come back one by one', async (t) => {
      const limiter = await open(t);
      const slot = { limit: evenly, of: 'all' };
      for (let count = 1; count <= 4; count += 1) assert.equal(await limiter.take([slot]), undefined);
      const refusal = await limiter.take([slot]);
      assert.ok(refusal && refusal.waitMs <= 1_000, `${refusal?.waitMs}`);
      await delay(past(refusal.waitMs));
      assert.equal(await limiter.take([slot]), undefined);
      assert.notEqual(await limiter.take([slot]), undefined);
    });

    test('a window starts again after it has ended', async (t) => {
      const limiter = await open(t);
      const slot = { limit: { name: 'short', most: 1, windowS: 2 }, of: 'all' };
      assert.equal(await limiter.take([slot]), undefined);
      const refusal = await limiter.take([slot]);
      await delay(past(refusal?.waitMs ?? 0));
      assert.equal(await limiter.take([slot]), undefined);
    });

    test('slots that are given back can be taken again, but no more than were taken', async (t) => {
      const limiter = await open(t);
      const slot = { limit: two, of: 'address' };
      const takeBoth = async () => {
        for (let count = 1; count <= 2; count += 1) assert.equal(await limiter.take([slot]), undefined);
        assert.equal((await limiter.take([slot]))?.limit, 'two');
      };
      await takeBoth();
      await limiter.giveBack(slot, 7);
      await limiter.giveBack(slot, 1);
      await takeBoth();
    });

    test('with a receipt the same request is admitted again without taking slots', async (t) => {
      const limiter = await open(t);
      const slot = { limit: { ...two, most: 1 }, of: 'address' };
      for (let time = 1; time <= 3; time += 1) assert.equal(await limiter.take([slot], receipt), undefined);
      assert.equal((await limiter.take([slot]))?.limit, 'two');
      assert.equal((await limiter.take([slot], { ...receipt, name: 'other' }))?.limit, 'two');
    });
  });
}

test('the note of an admission is returned once', async (t) => {
  const redis = new Redis((await testRedis(t)).url);
  cleanUp(t, async () => redis.disconnect());
  const limiter = limiterInRedis(redis);
  await limiter.take([{ limit: two, of: 'address' }], receipt);
  assert.deepEqual([await limiter.takeNote('note'), await limiter.takeNote('note')], ['wilma', undefined]);
});

test('a limiter in memory drops the least recently used entry', async () => {
  const limiter = limiterInMemory(2);
  const take = (of: string) => limiter.take([{ limit: { ...two, most: 1 }, of }]);
  for (const of of ['first', 'second']) assert.equal(await take(of), undefined);
  assert.notEqual(await take('first'), undefined);
  assert.equal(await take('third'), undefined);
  assert.notEqual(await take('first'), undefined);
  assert.equal(await take('second'), undefined);
});
