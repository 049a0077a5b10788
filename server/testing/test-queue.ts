import type { TestContext } from 'node:test';
import { createMailQueue } from '#server/mail/queue.ts';
import { connectProducer } from '#server/redis/connect-redis.ts';
import { cleanUp } from './clean-up.ts';
import { createTestLog } from './test-log.ts';
import type { TestRedis } from './test-redis.ts';

/** The app's side of the mail queue on a test's Redis, which need not run. */
export function openTestQueue(t: TestContext, redis: TestRedis, log = createTestLog()) {
  const connection = connectProducer(redis.settings, log.logger);
  const queue = createMailQueue(connection, log.logger);
  cleanUp(t, () => queue.close());
  return { queue, connection, log };
}
