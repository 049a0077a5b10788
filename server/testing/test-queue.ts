import { UnrecoverableError, Worker } from 'bullmq';
import type { MailJob } from '#server/mail/job.ts';
import { createLetterLog, type LetterLog } from '#server/mail/letter-log.ts';
import { createMailQueue, type MailQueue } from '#server/mail/queue.ts';
import { MAIL_QUEUE_NAME, mailJobId } from '#server/mail/queued-job.ts';
import type { Outbox } from '#server/mail/worker.ts';
import { connectProducer } from '#server/redis/connect-redis.ts';
import { QUEUE_PREFIX } from '#server/redis/queue-on.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { testDatabase } from './test-database.ts';
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
  letterLog?: LetterLog;
  now?: () => Date;
}

/** The app's side of the mail queue on a test's Redis, which need not run. */
export async function openTestQueue(
  t: TestScope,
  redis: TestRedis,
  { log = createTestLog(), now = () => new Date(), ...options }: QueueOptions = {},
) {
  const letterLog = options.letterLog ?? createLetterLog((await testDatabase(t)).database);
  const connection = connectProducer(redis.settings, log.logger);
  const addTimeoutMs = redisTimeoutMs(options);
  const queue = createMailQueue(connection, log.logger, { letterLog, now, addTimeoutMs });
  cleanUp(t, () => queue.close());
  return { queue: remembering(queue), letterLog, connection, log };
}

/** The letters that tests have queued, by id. */
const remembered = new Map<string, MailJob>();

function remembering(queue: MailQueue): MailQueue {
  return {
    ...queue,
    add(...letters) {
      for (const letter of letters) remembered.set(mailJobId(letter), letter);
      return queue.add(...letters);
    },
  };
}

/** Each letter that a test has queued is due, as it was queued. */
export const hastyOutbox: Outbox = {
  findDue: async (id) => remembered.get(id.replace(/-again-.*$/, '')) ?? 'not due',
  now: () => new Date(),
  markSent: async () => {},
};

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
