import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { readWorkerConfig } from '#server/config/config.ts';
import { createLogger } from '#server/config/logger.ts';
import { openDatabase } from '#server/database/database.ts';
import { createLetterLog } from '#server/letters/letter-log.ts';
import { type LetterQueue, MAIL_QUEUE_NAME } from '#server/letters/queue.ts';
import { type CommandContext, Refusal } from '#server/office/commands/command.ts';
import { openClock } from '#server/ops/clock.ts';
import { queueOn } from '#server/ops/connect-redis.ts';
import { createAdmission } from '#server/registration/registration.ts';
import { connectStripe } from '#server/stripe/connect-stripe.ts';
import { askForDueWork, dueWorkQueue } from '#server/worker/due-work-queue.ts';
import { keepActs } from '#server/worker/kept-outside.ts';

/** Does some work as a worker with these variables would: on its Redis, register, Stripe account and clock. */
export async function withContext<Result>(
  env: NodeJS.ProcessEnv,
  work: (context: CommandContext) => Promise<Result>,
): Promise<Result> {
  const config = readWorkerConfig(env);
  return withRedis(config.redisUrl, async (redis) => {
    const logger = createLogger('support', 'silent');
    const clock = await openClock(config.clockUrl, logger);
    const database = openDatabase(config.database.url, { afterActs: keepActs(redis, logger) });
    const queue: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
    const dueWork = dueWorkQueue(redis);
    // The command that fails because of Redis reports it.
    for (const one of [queue, dueWork]) one.on('error', () => {});
    const payments = connectStripe(config.stripe, database);
    const context = {
      config,
      queue,
      redis,
      payments,
      letterLog: createLetterLog(database),
      admission: createAdmission({ database, deposits: payments.deposits, now: clock.now }),
      askForDueWork: () => askForDueWork(dueWork),
      now: clock.now,
    };
    return work(context).finally(() => {
      clock.close();
      return database.close();
    });
  });
}

/** How long Redis may take to accept a connection, and then to answer each command. */
const TIMEOUT_MS = 2_000;
const TIMED_OUT = 'Command timed out';

/**
 * Does some work with a connection that never waits for a Redis that is unavailable or hangs.
 * @throws {Refusal} when Redis is unavailable, or becomes unavailable during the work
 */
async function withRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let problem: Error | undefined;
  redis.on('error', (error) => {
    problem = error;
  });
  try {
    await redis.connect();
    return await work(redis);
  } catch (error) {
    const { message } = problem ?? (error instanceof Error ? error : new Error(String(error)));
    if (error instanceof Refusal || (redis.status === 'ready' && message !== TIMED_OUT)) throw error;
    // The URL may hold a password.
    const why = message === TIMED_OUT ? `No answer within ${TIMEOUT_MS} ms` : message.replace(/\.+$/, '');
    const refusal = `Redis at ${new URL(url).host} cannot be used: ${why}.`;
    throw new Refusal('redisAway', refusal, { cause: error });
  } finally {
    redis.disconnect();
  }
}
