import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { letter } from '#scripts/world/letters.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { MailQueueUnavailable } from './queue.ts';
import { mailJobId } from './queued-job.ts';

const job = letter('registration-received');

/** Unlike node's `once`, ignores errors in between. */
function nextState(connection: RedisClient, state: 'ready' | 'close'): Promise<void> {
  return new Promise((resolve) => connection.once(state, () => resolve()));
}

/** Checks that a mail is refused instead of waiting for Redis, and why. It takes a second at most on an idle machine. */
async function assertRefusedFast(add: () => Promise<void>, reason: RegExp): Promise<void> {
  const start = performance.now();
  await assert.rejects(add, (error) => error instanceof MailQueueUnavailable && reason.test(inspect(error)));
  const elapsedMs = performance.now() - start;
  assert.ok(elapsedMs < 10_000, `took ${elapsedMs} ms`);
}

describe('the mail queue', () => {
  test('R5.1 takes a mail once for each kind, payment and address', async (t) => {
    const { queue } = await openTestQueue(t, await testRedis(t));
    await queue.bullQueue.waitUntilReady();
    await queue.add(job);
    await queue.add(job);
    await queue.add({ ...job, paymentIntentId: 'pi_2' });
    const ids = (await queue.bullQueue.getJobs()).map(({ id }) => id);
    assert.deepEqual(ids.sort(), [job, { ...job, paymentIntentId: 'pi_2' }].map(mailJobId));
  });

  test('R5.1 fails fast while Redis is away at start, and works once Redis is there', async (t) => {
    const redis = await testRedis(t, { running: false });
    const { queue, connection, log } = await openTestQueue(t, redis);
    await assertRefusedFast(() => queue.add(job), /Redis is away/);
    assert.equal(queue.isReady(), false);

    const ready = nextState(connection, 'ready');
    await redis.start();
    await ready;
    await queue.add(job);
    assert.equal(await queue.bullQueue.getJobCountByTypes('waiting'), 1);
    assert.equal(log.text().split('Redis is not available').length - 1, 1);
  });

  test('R5.1 fails fast when Redis goes, keeps what it had, and works when Redis is back', async (t) => {
    const redis = await testRedis(t);
    const { queue, connection } = await openTestQueue(t, redis);
    await queue.bullQueue.waitUntilReady();
    await queue.add(job);

    const closed = nextState(connection, 'close');
    await redis.stop();
    await closed;
    await assertRefusedFast(() => queue.add({ ...job, paymentIntentId: 'pi_2' }), /Redis is away/);

    const ready = nextState(connection, 'ready');
    await redis.start();
    await ready;
    await queue.add({ ...job, paymentIntentId: 'pi_3' });
    const ids = (await queue.bullQueue.getJobs()).map(({ id }) => id);
    assert.deepEqual(ids.sort(), [job, { ...job, paymentIntentId: 'pi_3' }].map(mailJobId));
  });

  test('R5.1 fails fast while Redis hangs', async (t) => {
    const redis = await testRedis(t);
    const { queue } = await openTestQueue(t, redis, { redisHangs: true });
    await queue.bullQueue.waitUntilReady();
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      await assertRefusedFast(() => queue.add(job), /No answer within 150 ms/);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
  });
});
