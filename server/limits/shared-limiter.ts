import { askRedis } from '#server/redis/ask-redis.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import { limiterInMemory, type Receipt, type Refusal, type Slot } from './limiter.ts';
import { limiterInRedis } from './limiter-in-redis.ts';

/** Counts for all replicas in Redis; in this process only while Redis is unavailable or hangs. */
export interface SharedLimiter {
  take(
    slots: readonly Slot[],
    more?: {
      receipt?: Receipt;
      /** Called when Redis did not count. */
      onLocal?: () => void;
    },
  ): Promise<Refusal | undefined>;
  /** Gives one slot back, wherever it was counted. */
  giveBack(slot: Slot): Promise<void>;
}

/** @param warning for the log, when Redis does not answer in time */
export function sharedLimiter(
  redis: RedisClient,
  logger: Logger,
  warning: string,
  timeoutMs?: number,
): SharedLimiter {
  const shared = limiterInRedis(redis);
  const local = limiterInMemory();
  const warn = (err: unknown): void => logger.warn({ err }, warning);
  return {
    async take(slots, { receipt, onLocal } = {}) {
      const count = async () => ({ refusal: await shared.take(slots, receipt) });
      const counted = await askRedis(redis, count, warn, timeoutMs);
      if (counted) return counted.refusal;
      onLocal?.();
      return local.take(slots, receipt);
    },
    async giveBack(slot) {
      await local.giveBack(slot, 1);
      const give = async () => ({ given: await shared.giveBack(slot, 1) });
      await askRedis(redis, give, warn, timeoutMs);
    },
  };
}
