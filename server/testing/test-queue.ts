import { UnrecoverableError, Worker } from 'bullmq';
import { createMailQueue } from '#server/mail/queue.ts';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { connectProducer } from '#server/redis/connect-redis.ts';
import { QUEUE_PREFIX } from '#server/redis/queue-on.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { createTestLog, type TestLog } from './test-log.ts';
import type { TestRedis } from './test-redis.ts';

export interface RedisPatience {
  /** Redis hangs in the test: it is waited for as long as the product does, not longer. */
  redisHangs?: boolean;
}

/** How long to wait for Redis, on a busy machine too; undefined for the product's own bounds. */
export function redisTimeoutMs({ redisHangs = false }: RedisPatience): number | undefined {
  return redisHangs ? undefined : 5_000;
}

interface QueueOptions extends RedisPatience {
  log?: TestLog;
}

/** The app's side of the mail queue on a test's Redis, which need not run. */
export function openTestQueue(
  t: TestScope,
  redis: TestRedis,
  { log = createTestLog(), ...patience }: QueueOptions = {},
) {
  const connection = connectProducer(redis.settings, log.logger);
  const queue = createMailQueue(connection, log.logger, redisTimeoutMs(patience));
  cleanUp(t, () => queue.close());
  return { queue, connection, log };
}

/** Lets a queued mail, and all others that wait with it, fail for good, as if a mail server had refused them. */
export async function failMail({ url }: TestRedis, jobId: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const refuse = async () => {
    throw new UnrecoverableError('550 no such mailbox');
  };
  const connection = { host: hostname, port: Number(port) };
  const worker = new Worker(MAIL_QUEUE_NAME, refuse, { connection, prefix: QUEUE_PREFIX });
  await new Promise<void>((resolve) =>
    worker.on('failed', (job) => {
      if (job?.id === jobId) resolve();
    }),
  );
  await worker.close();
}
