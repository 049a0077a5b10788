import type { Registry } from 'prom-client';
import { type Limit, limiterInMemory, type Slot } from '#server/limits/limiter.ts';
import type { Logger } from '#server/service/logger.ts';
import { counter } from './metrics.ts';

/** Wrong passwords that one address may send within the window. */
const GUESSES = 10;
const WINDOW_S = 60;

/** How many addresses are counted at most; beyond that, those that were silent longest are forgotten. */
const MOST_ADDRESSES = 1_000;

/** Limits how fast passwords can be guessed. */
export interface GuessLimit {
  /**
   * Counts an attempt before its password is compared, so that parallel attempts cannot get past the limit. Returns for
   * how many milliseconds the address has to wait; undefined when the password may be compared.
   */
  count(address: string): Promise<number | undefined>;
  /** Takes an attempt back, because its password was right. */
  uncount(address: string): Promise<void>;
}

interface GuessLimitOptions {
  metrics: Registry;
  logger: Logger;
  /** For how many seconds wrong passwords count. */
  windowS?: number | undefined;
}

/** Counts in memory, each process by itself. */
export function createGuessLimit({ metrics, logger, windowS = WINDOW_S }: GuessLimitOptions): GuessLimit {
  const limiter = limiterInMemory(MOST_ADDRESSES);
  /** One warning each time that an address begins to wait: the next attempt that is allowed resets it. */
  const warnings = limiterInMemory(MOST_ADDRESSES);
  const guesses: Limit = { name: 'guesses', most: GUESSES, windowS };
  const warningOf = (address: string): Slot => ({
    limit: { name: 'warnings', most: 1, windowS },
    of: address,
  });
  const throttled = counter(
    metrics,
    'ops_requests_throttled_total',
    'Requests to the ops listener that were refused after too many wrong passwords from their address',
  );
  return {
    async count(address) {
      const refusal = await limiter.take([{ limit: guesses, of: address }]);
      if (!refusal) {
        await warnings.giveBack(warningOf(address), 1);
        return undefined;
      }
      throttled.inc();
      if (!(await warnings.take([warningOf(address)])))
        logger.warn('Too many wrong passwords came to the ops listener from one address: it has to wait');
      return refusal.waitMs;
    },
    async uncount(address) {
      await limiter.giveBack({ limit: guesses, of: address }, 1);
    },
  };
}
