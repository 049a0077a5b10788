import { Queue } from 'bullmq';
import { queueOn } from '#server/redis/queue-on.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from './walk.ts';

const TIMEOUT_MS = 150;

/**
 * Asks the worker for a walk through all registrations now. While Redis is away, it is asked for once Redis is back;
 * until then the next scheduled walk does the work.
 */
export type AskForWalk = () => Promise<void>;

/** Asks over a connection made by `connectProducer`, which the caller closes. */
export function walksBy(redis: RedisClient, logger: Logger): AskForWalk {
  const queue = new Queue(WALK_QUEUE_NAME, queueOn(redis));
  queue.on('error', (error) => logger.debug({ err: error }, 'Queue of walks error'));
  let isOwed = false;
  const ask = async (): Promise<void> => {
    const isFirst = !isOwed;
    isOwed = true;
    try {
      if (redis.status !== 'ready') throw new Error('Redis is away');
      await withTimeout(queue.add(WALK_NOW, null, WALK_NOW_OPTIONS), TIMEOUT_MS);
      isOwed = false;
    } catch (error) {
      if (isFirst) logger.warn({ err: error }, 'No walk could be asked for now');
    }
  };
  redis.on('ready', () => {
    if (isOwed) void ask();
  });
  return ask;
}
