import { Queue } from 'bullmq';
import { queueOn } from '#server/redis/queue-on.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import type { LetterLog } from './letter-log.ts';
import { type LetterQueue, queueLetters } from './queue.ts';
import { MAIL_QUEUE_NAME } from './queued-job.ts';

const MINUTE_MS = 60_000;
/** A letter is queued as soon as it is recorded as owed: after this long its job was not added, or is lost. */
const LOST_AFTER_MS = 2 * MINUTE_MS;

interface RequeueDependencies {
  /** Made by `connectWorker`; stays its owner's. */
  redis: RedisClient;
  letterLog: Pick<LetterLog, 'owedSince' | 'find'>;
  /** The site's clock. */
  now: () => Date;
  logger: Logger;
}

/** Each minute queues the letters that are owed and have no job: Redis was away, or has lost it. */
export function startRequeue({ redis, letterLog, now, logger }: RequeueDependencies) {
  const queue: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const look = async (): Promise<void> => {
    if (redis.status !== 'ready') return;
    const count = await requeueLost(queue, letterLog, now());
    if (count > 0) logger.warn({ letters: count }, 'Letters that were owed had no job: they are queued');
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) =>
      logger.warn({ err: error }, 'Letters that are owed could not be looked up'),
    );
  }, MINUTE_MS);
  return {
    async close(): Promise<void> {
      clearInterval(timer);
      await queue.close();
    },
  };
}

/** Queues the letters that have been owed for two minutes and have no job; returns how many. */
export async function requeueLost(
  queue: LetterQueue,
  letterLog: Pick<LetterLog, 'owedSince' | 'find'>,
  now: Date,
): Promise<number> {
  const owed = await letterLog.owedSince(new Date(now.getTime() - LOST_AFTER_MS));
  if (owed.length === 0) return 0;
  const states = ['active', 'waiting', 'prioritized', 'delayed', 'failed'] as const;
  const queued = new Set(await queue.getRanges([...states], 0, -1));
  const found = await letterLog.find(owed.filter((id) => !queued.has(id)));
  // Some may have been sent meanwhile.
  const lost = [...found.values()].filter(({ state }) => state === 'owed');
  await queueLetters(queue, lost);
  return lost.length;
}
