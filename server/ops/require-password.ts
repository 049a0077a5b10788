import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import { visitorAddress } from '#server/http/visitor-address.ts';
import { type Limit, limiterInMemory, type Slot } from '#server/limits/limiter.ts';
import type { Logger } from '#server/service/logger.ts';
import { metricsIn } from './metrics.ts';

export interface Credentials {
  user: string;
  /** Undefined outside production: metrics are then open, on loopback. */
  password: string | undefined;
}

/**
 * HTTP Basic authentication, compared in constant time. After too many wrong passwords an address gets 429, even with
 * the right one; a request without a password only gets the challenge. @see RFC 7617
 */
export function requirePassword({ user, password }: Credentials, guesses: GuessLimit): RequestHandler {
  if (password === undefined) return (_req, _res, next) => next();
  const expected = digest(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
  return async (req, res, next) => {
    const given = req.get('Authorization');
    if (given) {
      const address = visitorAddress(req);
      const waitMs = await guesses.count(address);
      if (waitMs !== undefined) {
        const seconds = Math.max(1, Math.ceil(waitMs / 1000));
        res.status(429).set('Retry-After', String(seconds)).type('text');
        res.send(`There were too many wrong passwords. Please try again in ${seconds} s.\n`);
        return;
      }
      if (timingSafeEqual(digest(given), expected)) {
        await guesses.uncount(address);
        next();
        return;
      }
    }
    res.status(401).set('WWW-Authenticate', 'Basic realm="ops", charset="UTF-8"').end();
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Wrong passwords that one address may send within the window. */
const GUESSES = 10;
const WINDOW_S = 60;

/** How many addresses are counted at most; beyond that, those that were silent longest are forgotten. */
const MOST_ADDRESSES = 1_000;

/** Limits how fast passwords can be guessed. */
type GuessLimit = ReturnType<typeof createGuessLimit>;

interface GuessLimitOptions {
  metrics: Registry;
  logger: Logger;
  /** For how many seconds wrong passwords count. */
  windowS?: number | undefined;
}

/** Counts in memory, each process by itself. */
export function createGuessLimit({ metrics, logger, windowS = WINDOW_S }: GuessLimitOptions) {
  const { counter } = metricsIn(metrics);
  const limiter = limiterInMemory(MOST_ADDRESSES);
  /** One warning each time that an address begins to wait: the next attempt that is allowed resets it. */
  const warnings = limiterInMemory(MOST_ADDRESSES);
  const guesses: Limit = { name: 'guesses', most: GUESSES, windowS };
  const warningOf = (address: string): Slot => ({
    limit: { name: 'warnings', most: 1, windowS },
    of: address,
  });
  const throttled = counter(
    'ops_requests_throttled_total',
    'Requests to the ops listener that were refused after too many wrong passwords from their address',
  );
  return {
    /**
     * Counts an attempt before its password is compared, so that parallel attempts cannot get past the limit. Returns for
     * how many milliseconds the address has to wait; undefined when the password may be compared.
     */
    async count(address: string): Promise<number | undefined> {
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
    /** Takes an attempt back, because its password was right. */
    async uncount(address: string): Promise<void> {
      await limiter.giveBack({ limit: guesses, of: address }, 1);
    },
  };
}
