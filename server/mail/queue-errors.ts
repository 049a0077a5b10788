import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';

/**
 * Logs a queue's errors: the first of a kind as a warning, its repeats, every few seconds, as details. While
 * Redis is unavailable, its connection has logged that already.
 */
export function logQueueErrors(redis: Pick<RedisClient, 'status'>, logger: Logger, message: string) {
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
