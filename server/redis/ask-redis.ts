import { withTimeout } from '#server/service/with-timeout.ts';
import type { RedisClient } from './redis-client.ts';

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
 * Runs a Redis command for which a visitor waits.
 * @param onFailure called with the reason why Redis did not answer in time; not while Redis is known to be
 *   unavailable
 * @returns undefined if there is no answer
 */
export async function askRedis<Answer extends NonNullable<unknown>>(
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
