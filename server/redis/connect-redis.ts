import type { RedisSettings } from '#server/config/redis-settings.ts';
import type { Logger } from '#server/service/logger.ts';
import { openRedis } from './open-redis.ts';
import { createOutageLog, type OutageLog, watch } from './outages.ts';
import type { RedisClient } from './redis-client.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 2_000;

/** How long Redis may leave a visitor's command without an answer before the connection counts as lost. */
const PRODUCER_SOCKET_TIMEOUT_MS = 5_000;
/** The same for a worker, whose connections take this option over: BullMQ has Redis wait for a job for up to 10 s. */
const WORKER_SOCKET_TIMEOUT_MS = 15_000;

const options = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: (attempt: number) => Math.min(attempt * 200, MAX_RECONNECT_DELAY_MS),
};

/** The app's connection: it fails fast, so that no visitor waits for a Redis that is away. */
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

/** The worker's connection: it waits for Redis as long as it takes. */
export function connectWorker(settings: RedisSettings, logger: Logger): RedisClient {
  const log = createOutageLog(logger);
  const redis = openRedis(settings, {
    ...options,
    maxRetriesPerRequest: null,
    socketTimeout: WORKER_SOCKET_TIMEOUT_MS,
    // 2: the command is sent again, as it has changed nothing.
    reconnectOnError: (error) => wasDemoted(error, log) && 2,
  });
  return watch(redis, log);
}

/** What a master answers that was made a replica, in words of all versions: `-ERR … script …: -READONLY …`. */
const DEMOTED = /^(READONLY|MASTERDOWN|UNBLOCKED) |-READONLY /;

function wasDemoted(error: Error, log: OutageLog): boolean {
  const isDemoted = DEMOTED.test(error.message);
  if (isDemoted) log.began(error);
  return isDemoted;
}
