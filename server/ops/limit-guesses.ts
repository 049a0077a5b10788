import { Counter, type Registry } from 'prom-client';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '#server/service/logger.ts';

/** Wrong passwords that one address may send within the window. */
const GUESSES = 10;
const WINDOW_S = 60;

/** Addresses that are counted; beyond them, those that were silent for longest are forgotten. */
const MOST_ADDRESSES = 1_000;

/** Keeps passwords from being guessed one after the other. */
export interface GuessLimit {
  /**
   * Counts a password, before it is compared: none of those that come at once gets past. Tells for how many
   * milliseconds its address has to wait; undefined when it may be compared.
   */
  count(address: string): Promise<number | undefined>;
  /** It was the right one. */
  uncount(address: string): Promise<void>;
}

interface GuessLimitOptions {
  metrics: Registry;
  logger: Logger;
  /** For how many seconds wrong passwords count. */
  windowS?: number | undefined;
}

/** Counted by each process by itself, in memory. */
export function createGuessLimit({ metrics, logger, windowS = WINDOW_S }: GuessLimitOptions): GuessLimit {
  const limiter = new RateLimiterMemory({ points: GUESSES, duration: windowS });
  const addresses = new Set<string>();
  const throttled = new Counter({
    name: 'ops_requests_throttled_total',
    help: 'Requests to the ops listener that were refused after too many wrong passwords from their address',
    registers: [metrics],
  });
  const remember = async (address: string): Promise<void> => {
    addresses.delete(address);
    addresses.add(address);
    const [longestSilent] = addresses;
    if (addresses.size <= MOST_ADDRESSES || longestSilent === undefined) return;
    addresses.delete(longestSilent);
    await limiter.delete(longestSilent);
  };
  return {
    async count(address) {
      await remember(address);
      try {
        await limiter.consume(address);
        return undefined;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throttled.inc();
        if (refusal.consumedPoints === GUESSES + 1)
          logger.warn('Too many wrong passwords came to the ops listener from one address: it has to wait');
        return refusal.msBeforeNext;
      }
    },
    async uncount(address) {
      await limiter.reward(address);
    },
  };
}
