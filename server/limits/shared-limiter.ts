import type { Redis } from 'ioredis';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { limiterInMemory, type Place, type Receipt, type Refusal } from './limiter.ts';
import { limiterInRedis } from './limiter-in-redis.ts';

/** The most that counting may add to a request while Redis hangs; with the mail's 150 ms, 250 in all (R5.1). */
const REDIS_TIMEOUT_MS = 100;

/** A Redis that has hung is not asked again so soon: a request asks more than once. */
const REDIS_PAUSE_MS = 200;

/** Takes places of all replicas, or of this process alone while Redis is away or hangs. */
export type TakePlaces = (
  places: readonly Place[],
  more?: {
    receipt?: Receipt;
    /** Is told when Redis did not count. */
    onLocal?: () => void;
  },
) => Promise<Refusal | undefined>;

/** @param warning for the log, when Redis does not answer in time */
export function sharedLimiter(
  redis: Redis,
  logger: Logger,
  warning: string,
  timeoutMs = REDIS_TIMEOUT_MS,
): TakePlaces {
  const shared = limiterInRedis(redis);
  const local = limiterInMemory();
  let pausedUntilMs = 0;
  return async (places, { receipt, onLocal } = {}) => {
    if (redis.status === 'ready' && performance.now() > pausedUntilMs) {
      try {
        return await withTimeout(shared.take(places, receipt), timeoutMs);
      } catch (error) {
        pausedUntilMs = performance.now() + REDIS_PAUSE_MS;
        logger.warn({ err: error }, warning);
      }
    }
    onLocal?.();
    return local.take(places, receipt);
  };
}
