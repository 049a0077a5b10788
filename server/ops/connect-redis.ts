import type { QueueOptions } from 'bullmq';
import { Redis } from 'ioredis';
import type { Logger } from '#server/config/logger.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_DELAY_MS = 2_000;

/** How long a visitor's command may take (R5.1). */
const COMMAND_TIMEOUT_MS = 200;
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
export function connectProducer(url: string, logger: Logger, commandTimeout = COMMAND_TIMEOUT_MS): Redis {
  const log = createOutageLog(logger);
  const redis = new Redis(url, {
    ...options,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout,
    socketTimeout: PRODUCER_SOCKET_TIMEOUT_MS,
    reconnectOnError: (error) => wasDemoted(error, log),
  });
  return watch(redis, log);
}

/** The worker's connection: it waits for Redis as long as necessary. */
export function connectWorker(url: string, logger: Logger): Redis {
  const log = createOutageLog(logger);
  const redis = new Redis(url, {
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

/** How often an idle connection is used, so that a connection dropped by a firewall is noticed. */
const PULSE_MS = 5_000;

type OutageLog = ReturnType<typeof createOutageLog>;

/** Logs once when Redis becomes unavailable and once when it is back, not at every attempt in between. */
function createOutageLog(logger: Logger) {
  let isAway: boolean | undefined;
  return {
    began(error: Error): void {
      if (!isAway) logger.error({ err: error }, 'Redis is not available');
      isAway = true;
    },
    ended(): void {
      if (isAway !== false) logger.info('Redis is connected');
      isAway = false;
    },
  };
}

/** Reports the events of a connection to the log, and uses the connection regularly while it is idle. */
function watch(redis: Redis, log: OutageLog): Redis {
  redis.on('ready', log.ended);
  redis.on('error', log.began);
  redis.on('reconnecting', () => log.began(new Error('The connection was lost')));
  const pulse = setInterval(() => {
    if (redis.status === 'ready')
      redis.ping().catch(() => {
        // The connection itself reports that it is lost.
      });
  }, PULSE_MS).unref();
  redis.on('end', () => clearInterval(pulse));
  return redis;
}

/**
 * The options with which each of BullMQ's queues is created. It does not ask Redis for its version: a queue whose question
 * fails, because the connection is lost in that moment, can never be used again.
 */
export function queueOn(redis: Redis) {
  return { connection: redis, skipVersionCheck: true } satisfies QueueOptions;
}

/**
 * Logs a queue's errors: the first of a kind as a warning, its repeats, every few seconds, as details. While
 * Redis is unavailable, its connection has logged that already.
 */
export function logQueueErrors(redis: Pick<Redis, 'status'>, logger: Logger, message: string) {
  const known = new Set<string>();
  return {
    failed(error: Error): void {
      const kind = kindOf(error);
      const isNews = redis.status === 'ready' && !known.has(kind);
      if (isNews) known.add(kind);
      logger[isNews ? 'warn' : 'debug']({ err: error }, message);
    },
    /** An operation succeeded: the next error is reported as new. */
    worked: (): void => known.clear(),
  };
}

/** Redis names the kind of an error in the first word of its reply, such as `OOM` when it is full. */
function kindOf(error: NodeJS.ErrnoException): string {
  return error.code ?? `${error.name} ${error.message.split(' ', 1)[0]}`;
}
