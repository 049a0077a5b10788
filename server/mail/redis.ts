import { Redis } from 'ioredis';
import type { Logger } from '#server/service/logger.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 2_000;

const reconnectDelayMs = (attempt: number): number => Math.min(attempt * 200, MAX_RECONNECT_DELAY_MS);

/** The app's connection: it fails fast, so that no visitor waits for a Redis that is away. */
export function connectProducer(redisUrl: string, logger: Logger): Redis {
  return logState(
    new Redis(redisUrl, {
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      retryStrategy: reconnectDelayMs,
    }),
    logger,
  );
}

/** The worker's connection: it waits for Redis as long as it takes. */
export function connectWorker(redisUrl: string, logger: Logger): Redis {
  return logState(
    new Redis(redisUrl, {
      connectTimeout: CONNECT_TIMEOUT_MS,
      maxRetriesPerRequest: null,
      retryStrategy: reconnectDelayMs,
    }),
    logger,
  );
}

/** Logs once when Redis goes and once when it is back, not at every attempt in between. */
function logState(redis: Redis, logger: Logger): Redis {
  let away = false;
  redis.on('ready', () => {
    away = false;
    logger.info('Redis is connected');
  });
  redis.on('error', (error: Error) => {
    if (!away) logger.error({ err: error }, 'Redis is not available');
    away = true;
  });
  return redis;
}

/** Hears how work with a queue goes. */
export interface QueueErrors {
  failed(error: Error): void;
  /** Something went well: an error that comes after this is news. */
  worked(): void;
}

/**
 * Logs a queue's errors: the first of a kind as a warning, its repeats, every few seconds, as details. That Redis is
 * away is told by its connection already.
 */
export function logQueueErrors(redis: Pick<Redis, 'status'>, logger: Logger, message: string): QueueErrors {
  const known = new Set<string>();
  return {
    failed(error) {
      const kind = kindOf(error);
      const isNews = redis.status === 'ready' && !known.has(kind);
      if (isNews) known.add(kind);
      logger[isNews ? 'warn' : 'debug']({ err: error }, message);
    },
    worked: () => known.clear(),
  };
}

/** Redis names the kind in a reply's first word, such as `OOM` when it is full. */
function kindOf(error: NodeJS.ErrnoException): string {
  return error.code ?? `${error.name} ${error.message.split(' ', 1)[0]}`;
}
