import { askRedis } from '#server/redis/ask-redis.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Facts } from '#shared/content/edition.ts';
import { capacityInRedis, leftOf, type PlaceHolder, type Places } from './capacity-in-redis.ts';

/** The maximum age of the reading that the page shows, while Redis answers. */
const LOOK_EVERY_MS = 3_000;

/** Is notified when places cannot be counted. */
export interface CapacityWatcher {
  /** A visitor was admitted without a count: Redis was unavailable, or did not know who has paid. */
  uncounted(): void;
}

/**
 * The places as the app uses them: a Redis that hangs never makes a visitor wait beyond a timeout, and never
 * costs a registration. An edition without a number of places makes no call to Redis.
 */
export interface Capacity {
  /**
   * Whether no place is left for a visitor, by a reading that is some seconds old; false while Redis is
   * unavailable.
   */
  isFull(): boolean;
  /**
   * Holds a place for a registration for 30 minutes from now, for an hour at most in all, however often it is
   * called.
   * @returns `uncounted` where there is no number of places, and when the visitor is admitted without a count
   */
  hold(facts: Facts, holder: PlaceHolder): Promise<'held' | 'full' | 'uncounted'>;
  close(): void;
}

interface CapacityOptions {
  /** The connection of the process that answers visitors. The caller owns it, and closes it. */
  redis: RedisClient;
  /** The facts of the edition on sale, whose page may say that it is full. */
  facts: Facts;
  /** The site's business date. */
  now: () => Date;
  logger: Logger;
  watcher: CapacityWatcher;
  /** Overrides of the default timeout, and of how often the places are read. */
  redisTimeoutMs?: number;
  lookEveryMs?: number;
}

export function createCapacity({
  redis,
  facts,
  now,
  logger,
  watcher,
  redisTimeoutMs,
  lookEveryMs = LOOK_EVERY_MS,
}: CapacityOptions): Capacity {
  const inRedis = capacityInRedis(redis, now);
  let last: Places | undefined;
  const look = async (): Promise<void> => {
    const warn = (err: unknown) => logger.warn({ err }, 'The places that are left cannot be read');
    last = await askRedis(redis, () => inRedis.look(facts), warn, redisTimeoutMs);
  };
  const timer = facts.places === undefined ? undefined : setInterval(look, lookEveryMs).unref();
  if (timer) {
    redis.on('ready', look);
    void look();
  }
  return {
    isFull: () => redis.status === 'ready' && last !== undefined && last.isCounted && leftOf(last) === 0,
    async hold(of, holder) {
      if (of.places === undefined) return 'uncounted';
      const warn = (err: unknown) => logger.warn({ err }, 'Redis did not hold a place in time');
      const held = await askRedis(redis, () => inRedis.hold(of, holder), warn, redisTimeoutMs);
      if (of.id === facts.id) last = held;
      if (held && held.outcome !== 'uncounted') return held.outcome;
      logger.warn('A visitor is admitted although it is not known whether a place is left');
      watcher.uncounted();
      return 'uncounted';
    },
    close() {
      clearInterval(timer);
      redis.off('ready', look);
    },
  };
}
