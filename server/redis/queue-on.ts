import type { QueueOptions, WorkerOptions } from 'bullmq';
import type { RedisClient } from './redis-client.ts';

/**
 * BullMQ's prefix. The braces are a hash tag: a cluster keeps all keys of the queues in one slot, which their scripts
 * need. @see https://docs.bullmq.io/bull/patterns/redis-cluster
 */
export const QUEUE_PREFIX = '{bull}';

/**
 * The options with which each of BullMQ's queues is created. It does not ask Redis for its version: a queue whose question
 * fails, because the connection is lost in that moment, can never be used again.
 */
export function queueOn(
  redis: RedisClient,
): Pick<QueueOptions, 'prefix' | 'skipVersionCheck'> & { connection: RedisClient } {
  return { connection: redis, prefix: QUEUE_PREFIX, skipVersionCheck: true };
}

/** The same for its workers, which wait for Redis, and need its version to know for how short a time it can block. */
export function workerOn(redis: RedisClient): Pick<WorkerOptions, 'prefix'> & { connection: RedisClient } {
  return { connection: redis, prefix: QUEUE_PREFIX };
}
