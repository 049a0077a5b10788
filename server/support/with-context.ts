import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type CommandContext, Refusal } from '#server/office/commands/command.ts';
import { createCommandContext } from '#server/office/commands/command-context.ts';
import { readWorkerConfig } from '#server/config/config.ts';
import { openDatabase } from '#server/database/database.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import { type LetterQueue, MAIL_QUEUE_NAME } from '#server/mail/queue.ts';
import { queueOn } from '#server/redis/connect-redis.ts';
import { createAdmission } from '#server/registration/waiting-list.ts';
import { openClock } from '#server/service/clock.ts';
import { createLogger } from '#server/service/logger.ts';
import { TimeoutError, withTimeout } from '#server/service/work.ts';
import { connectStripe } from '#server/stripe/connect-stripe.ts';
import { askForDueWork, dueWorkQueue } from '#server/worker/due-work-queue.ts';
import { keepActs } from '#server/worker/kept-outside.ts';

/** How long Redis may take to accept a connection, and then to answer each command. */
const TIMEOUT_MS = 2_000;
/** How long disconnecting may take; no command is in flight by then. */
const DISCONNECT_TIMEOUT_MS = 100;

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
    const context = createCommandContext({
      config,
      queue,
      redis,
      payments,
      letterLog: createLetterLog(database),
      admission: createAdmission({ database, deposits: payments.deposits, now: clock.now }),
      askForDueWork: () => askForDueWork(dueWork),
      now: clock.now,
    });
    return work(context).finally(() => {
      clock.close();
      return database.close();
    });
  });
}

/**
 * Does some work with a connection that never waits for a Redis that is unavailable or hangs.
 * @throws {Refusal} when Redis is unavailable, or becomes unavailable during the work
 */
async function withRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let problem: unknown;
  redis.on('error', (error) => {
    problem = error;
  });
  try {
    const gone = untilClosed(redis);
    await withTimeout(Promise.race([redis.connect(), gone]), TIMEOUT_MS);
    return await Promise.race([work(redis), gone]);
  } catch (error) {
    if (error instanceof Refusal || (redis.status === 'ready' && !wasTooLate(error))) throw error;
    throw away(url, problem ?? error);
  } finally {
    redis.disconnect();
  }
}

async function untilClosed(redis: Redis): Promise<never> {
  await new Promise((resolve) => redis.once('close', resolve));
  throw new Error('the connection was lost');
}

function wasTooLate(error: unknown): boolean {
  return error instanceof TimeoutError || (error instanceof Error && error.message === 'Command timed out');
}

/** The error for an unavailable Redis, which it names without its password. */
function away(url: string, error: unknown): Refusal {
  const said = error instanceof Error ? error.message : String(error);
  const words = wasTooLate(error) ? `No answer within ${TIMEOUT_MS} ms` : said;
  return new Refusal(
    'redisAway',
    `Redis at ${new URL(url).host} cannot be used: ${words.replace(/\.+$/, '')}.`,
    {
      cause: error,
    },
  );
}
