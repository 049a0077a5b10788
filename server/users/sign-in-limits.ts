import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { cookieOf } from '#server/http/cookies.ts';
import { visitorNetwork } from '#server/http/visitor-address.ts';
import type { Limit, Slot } from '#server/limits/limiter.ts';
import { sharedLimiter } from '#server/limits/shared-limiter.ts';
import { digestOf } from '#server/limits/visitor-slots.ts';
import type { Seal } from '#server/links/seal.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import { cookieAttributes, cookieName } from './sessions.ts';

const MINUTE_S = 60;
const limit = (name: string, most: number, windowS: number): Limit => ({
  name: `sign-in-${name}`,
  most,
  windowS,
});

/** Attempts from browsers in which the user has not signed in before. */
const OF_NETWORK = limit('network', 10, 5 * MINUTE_S);
const OF_NAME = limit('name', 20, 15 * MINUTE_S);
/** All of these together, which is a third of the time of one core: hashing must leave CPU time for the site. */
const OF_ALL = limit('all', 30, MINUTE_S);

/** Attempts from a browser in which she has signed in before; no stranger can use these up. */
const OF_BROWSER = limit('browser', 10, 5 * MINUTE_S);

/** What the cookie of a known browser says. */
const KNOWN = /^v1\.([a-z0-9_-]{1,40})\.([\w-]{22})\.(\d{1,15})$/;
const CONTEXT = 'browser ';
const KNOWN_FOR_MS = 180 * 24 * 60 * MINUTE_S * 1000;

/** Long, because a user who signs in may wait, and a guess should be counted in Redis. */
const REDIS_TIMEOUT_MS = 1_000;

interface Dependencies {
  redis: RedisClient;
  logger: Logger;
  seal: Seal;
  time: () => Date;
}

/**
 * Limits password guesses, by one stranger or by many, without locking out those who know their passwords.
 * Attempts are counted by network and by name; from a browser in which the user has signed in before, for
 * that browser only.
 * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
export function createSignInLimits({ redis, logger, seal, time }: Dependencies) {
  const { take, giveBack } = sharedLimiter(
    redis,
    logger,
    'Redis cannot count tries to sign in, so they are counted in memory',
    REDIS_TIMEOUT_MS,
  );
  /** The id of the browser, if the user has signed in with it. */
  const knownBrowser = (req: Request, name: string): string | undefined => {
    const text = cookieOf(req, cookieName(req, 'office-browser')) ?? '';
    const [, knows, id, since] = KNOWN.exec(seal.open(text, CONTEXT) ?? '') ?? [];
    return knows === name && time().getTime() < Number(since) + KNOWN_FOR_MS ? id : undefined;
  };
  const slotsOfStranger = (req: Request, name: string): Slot[] => [
    { limit: OF_NETWORK, of: digestOf(visitorNetwork(req)) },
    { limit: OF_NAME, of: digestOf(name) },
    { limit: OF_ALL, of: 'strangers' },
  ];
  return {
    /**
     * Counts an attempt before its password is compared, so that parallel attempts cannot get past the limit.
     * @returns for how many milliseconds it has to wait, or that its password may be compared
     */
    async count(req: Request, name: string) {
      const browser = knownBrowser(req, name);
      const slots = browser ? [{ limit: OF_BROWSER, of: browser }] : slotsOfStranger(req, name);
      const refusal = await take(slots);
      if (refusal) return refusal.waitMs;
      return {
        /** Whether the user has signed in with this browser before. */
        isKnown: browser !== undefined,
        /** Takes the attempt back, because its password is right. */
        takeBack: () => Promise.all(slots.map(giveBack)),
      };
    },
    /** Remembers that the user has signed in with this browser. */
    remember(req: Request, res: Response, name: string): void {
      const id = knownBrowser(req, name) ?? randomBytes(16).toString('base64url');
      const text = seal.seal(['v1', name, id, time().getTime()].join('.'), CONTEXT);
      res.cookie(cookieName(req, 'office-browser'), text, { ...cookieAttributes(req), maxAge: KNOWN_FOR_MS });
    },
  };
}
