import { digestOf, type Limit, sharedLimiter, visitorSlots } from '#server/limits/limiter.ts';
import type { RedisClient } from '#server/redis/open-redis.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Session } from './sessions.ts';

/** How long a visitor who opened pages too often has to wait. */
export const OPENINGS_WINDOW_S = 10 * 60;
const DAY_S = 24 * 60 * 60;

type Bounds = Readonly<Record<string, Pick<Limit, 'most' | 'windowS'>>>;

/** How often something may happen in one session: somebody else who has her link does not use up hers. */
const SESSION_LIMITS = {
  /** Requests for its registration: each one reads at Stripe twice. */
  reads: { most: 60, windowS: OPENINGS_WINDOW_S },
  /** Attempts, right or wrong, at the proof that it is she. */
  proofs: { most: 5, windowS: DAY_S },
} satisfies Bounds;

/** All sessions together that the links of a registration open may do so many times as much, until the links are renewed. */
const SESSIONS = 3;

/** How often something may happen for one registration, address or visitor. */
const LIMITS = {
  /** Requests for the registration of a link that confirms an address. */
  confirmations: { most: 60, windowS: OPENINGS_WINDOW_S },
  letters: { most: 3, windowS: DAY_S },
  /** Links that are sent because her page was closed everywhere. */
  linksOnceClosed: { most: 3, windowS: DAY_S },
  /** Links that are sent to the e-mail address of somebody who has paid, and those that one visitor asks for. */
  linksToAddress: { most: 3, windowS: DAY_S },
  linksByVisitor: { most: 10, windowS: OPENINGS_WINDOW_S },
  /** Requests of one visitor that open a page with the client secret of a payment. */
  openings: { most: 20, windowS: OPENINGS_WINDOW_S },
} satisfies Bounds;

type ByVisitor = 'linksByVisitor' | 'openings';

export type OwnPageLimits = ReturnType<typeof createOwnPageLimits>;

/** Counts in Redis for all replicas, in memory while Redis is unavailable. */
export function createOwnPageLimits(redis: RedisClient, logger: Logger, timeoutMs?: number) {
  const whenAway = 'Redis cannot count for her page, so it is counted in memory';
  const { take } = sharedLimiter(redis, logger, whenAway, timeoutMs);
  const limitOf = (name: keyof typeof LIMITS): Limit => ({ name: `place-${name}`, ...LIMITS[name] });
  return {
    /**
     * Counts an event for a registration or e-mail address, and says whether it is allowed; refused events are not
     * counted.
     */
    async admits(name: Exclude<keyof typeof LIMITS, ByVisitor>, of: string): Promise<boolean> {
      return (await take([{ limit: limitOf(name), of: digestOf(of) }])) === undefined;
    },
    /** The same for a visitor, by her address, and the IPv6 network that it is in. */
    async admitsVisitor(name: ByVisitor, address: string): Promise<boolean> {
      return (await take(visitorSlots(limitOf(name), address))) === undefined;
    },
    /** The same for an event in a session, which also counts for all sessions of the same links. */
    async admitsIn({ text, token }: Session, name: keyof typeof SESSION_LIMITS): Promise<boolean> {
      const { most, windowS } = SESSION_LIMITS[name];
      const own = { name: `place-${name}`, most, windowS };
      const inAll = { name: `place-${name}-in-all`, most: most * SESSIONS, windowS };
      const slots = [
        { limit: own, of: digestOf(text) },
        { limit: inAll, of: digestOf(`${token.deposit} ${token.epoch}`) },
      ];
      return (await take(slots)) === undefined;
    },
  };
}
