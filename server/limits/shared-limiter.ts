import type { Redis } from 'ioredis';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { limiterInMemory, type Place, type Receipt, type Refusal } from './limiter.ts';
import { limiterInRedis } from './limiter-in-redis.ts';

/** The most that counting may add to a request while Redis hangs; with the mail's 150 ms, 250 in all (R5.1). */
const REDIS_TIMEOUT_MS = 100;

/** A Redis that has hung is not asked again so soon: a request asks more than once. */
const REDIS_PAUSE_MS = 200;

/** Counts for all replicas, or for this process alone while Redis is away or hangs. */
export interface SharedLimiter {
  take(
    places: readonly Place[],
    more?: {
      receipt?: Receipt;
      /** Is told when Redis did not count. */
      onLocal?: () => void;
    },
  ): Promise<Refusal | undefined>;
  /** Gives one place back, wherever it was counted. */
  giveBack(place: Place): Promise<void>;
}

/** @param warning for the log, when Redis does not answer in time */
export function sharedLimiter(
  redis: Redis,
  logger: Logger,
  warning: string,
  timeoutMs = REDIS_TIMEOUT_MS,
): SharedLimiter {
  const shared = limiterInRedis(redis);
  const local = limiterInMemory();
  let pausedUntilMs = 0;
  const isThere = (): boolean => redis.status === 'ready' && performance.now() > pausedUntilMs;
  const pause = (error: unknown): void => {
    pausedUntilMs = performance.now() + REDIS_PAUSE_MS;
    logger.warn({ err: error }, warning);
  };
  return {
    async take(places, { receipt, onLocal } = {}) {
      if (isThere()) {
        try {
          return await withTimeout(shared.take(places, receipt), timeoutMs);
        } catch (error) {
          pause(error);
        }
      }
      onLocal?.();
      return local.take(places, receipt);
    },
    async giveBack(place) {
      await local.giveBack(place, 1);
      if (isThere()) await withTimeout(shared.giveBack(place, 1), timeoutMs).catch(pause);
    },
  };
}
