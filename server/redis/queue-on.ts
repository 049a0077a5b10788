import type { QueueOptions } from 'bullmq';
import type { RedisClient } from './redis-client.ts';

/**
 * BullMQ's prefix. The braces are a hash tag: a cluster keeps all keys of the queues in one slot, which their scripts
 * need. @see https://docs.bullmq.io/bull/patterns/redis-cluster
 */
export const QUEUE_PREFIX = '{bull}';

/** The options with which each of BullMQ's queues and workers is created. */
export function queueOn(redis: RedisClient): Pick<QueueOptions, 'prefix'> & { connection: RedisClient } {
  return { connection: redis, prefix: QUEUE_PREFIX };
}
