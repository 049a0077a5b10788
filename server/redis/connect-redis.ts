import type { RedisSettings } from '#server/config/redis-settings.ts';
import type { Logger } from '#server/service/logger.ts';
import { openRedis } from './open-redis.ts';
import { createOutageLog, type OutageLog, watch } from './outages.ts';
import type { RedisClient } from './redis-client.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 2_000;

/** How long a visitor's command may stay without an answer before the connection counts as lost. */
const PRODUCER_SOCKET_TIMEOUT_MS = 5_000;
/**
 * The same for a worker: BullMQ's connections inherit this option, and let Redis block for up to 10 s while
 * they wait for a job.
 */
const WORKER_SOCKET_TIMEOUT_MS = 15_000;

const options = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: (attempt: number) => Math.min(attempt * 200, MAX_RECONNECT_DELAY_MS),
};

/** The app's connection: it fails fast, so that no visitor waits for a Redis that is unavailable. */
export function connectProducer(settings: RedisSettings, logger: Logger): RedisClient {
  const log = createOutageLog(logger);
  const redis = openRedis(settings, {
    ...options,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    socketTimeout: PRODUCER_SOCKET_TIMEOUT_MS,
    reconnectOnError: (error) => wasDemoted(error, log),
  });
  return watch(redis, log);
}

/** The worker's connection: it waits for Redis as long as necessary. */
export function connectWorker(settings: RedisSettings, logger: Logger): RedisClient {
  const log = createOutageLog(logger);
  const redis = openRedis(settings, {
    ...options,
    maxRetriesPerRequest: null,
    socketTimeout: WORKER_SOCKET_TIMEOUT_MS,
    // 2: ioredis sends the command again after it has reconnected; the failed command has changed nothing.
    reconnectOnError: (error) => wasDemoted(error, log) && 2,
  });
  return watch(redis, log);
}

/** The errors of a master that became a replica, in all versions' words: `-ERR … script …: -READONLY …`. */
const DEMOTED = /^(READONLY|MASTERDOWN|UNBLOCKED) |-READONLY /;

function wasDemoted(error: Error, log: OutageLog): boolean {
  const isDemoted = DEMOTED.test(error.message);
  if (isDemoted) log.began(error);
  return isDemoted;
}
