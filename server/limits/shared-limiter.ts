import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { limiterInMemory, type Receipt, type Slot } from './limiter.ts';
import { limiterInRedis } from './limiter-in-redis.ts';

/**
 * How long a request may wait for Redis to count while it hangs; with the mail's 150 ms, 250 in all (R5.1).
 */
const REDIS_TIMEOUT_MS = 100;
/**
 * After a timeout, Redis is not asked again for this long, by any request: a request asks more than once, and
 * Stripe in between.
 */
const REDIS_PAUSE_MS = 1_000;

const pausedUntilMs = new WeakMap<RedisClient, number>();

/**
 * Counts for all replicas in Redis; in this process only while Redis is unavailable or hangs.
 * @param warning for the log, when Redis does not answer in time
 */
export function sharedLimiter(redis: RedisClient, logger: Logger, warning: string, timeoutMs?: number) {
  const shared = limiterInRedis(redis);
  const local = limiterInMemory();
  const warn = (err: unknown): void => logger.warn({ err }, warning);
  return {
    /** @param onLocal called when Redis did not count */
    async take(
      slots: readonly Slot[],
      { receipt, onLocal }: { receipt?: Receipt; onLocal?: () => void } = {},
    ) {
      const count = async () => ({ refusal: await shared.take(slots, receipt) });
      const counted = await askRedis(redis, count, warn, timeoutMs);
      if (counted) return counted.refusal;
      onLocal?.();
      return local.take(slots, receipt);
    },
    /** Gives one slot back, wherever it was counted. */
    async giveBack(slot: Slot): Promise<void> {
      await local.giveBack(slot, 1);
      const give = async () => ({ given: await shared.giveBack(slot, 1) });
      await askRedis(redis, give, warn, timeoutMs);
    },
  };
}

/**
 * Runs a Redis command for which a visitor waits.
 * @param onFailure called with the reason why Redis did not answer in time; not while Redis is known to be
 *   unavailable
 * @returns undefined if there is no answer
 */
async function askRedis<Answer extends NonNullable<unknown>>(
  redis: RedisClient,
  ask: () => Promise<Answer>,
  onFailure: (error: unknown) => void,
  timeoutMs = REDIS_TIMEOUT_MS,
): Promise<Answer | undefined> {
  if (redis.status !== 'ready' || performance.now() <= (pausedUntilMs.get(redis) ?? 0)) return undefined;
  try {
    return await withTimeout(ask(), timeoutMs);
  } catch (error) {
    pausedUntilMs.set(redis, performance.now() + REDIS_PAUSE_MS);
    onFailure(error);
    return undefined;
  }
}
