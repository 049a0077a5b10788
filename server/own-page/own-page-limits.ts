import type { Limit } from '#server/limits/limiter.ts';
import { sharedLimiter } from '#server/limits/shared-limiter.ts';
import { digestOf, visitorSlots } from '#server/limits/visitor-slots.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
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

export interface OwnPageLimits {
  /**
   * Counts an event for a registration or e-mail address, and says whether it is allowed; refused events are not
   * counted.
   */
  admits(limit: Exclude<keyof typeof LIMITS, ByVisitor>, of: string): Promise<boolean>;
  /** The same for a visitor, by her address, and the IPv6 network that it is in. */
  admitsVisitor(limit: ByVisitor, address: string): Promise<boolean>;
  /** The same for an event in a session, which also counts for all sessions of the same links. */
  admitsIn(session: Session, limit: keyof typeof SESSION_LIMITS): Promise<boolean>;
}

/** Counts in Redis for all replicas, in memory while Redis is unavailable. */
export function createOwnPageLimits(redis: RedisClient, logger: Logger, timeoutMs?: number): OwnPageLimits {
  const { take } = sharedLimiter(
    redis,
    logger,
    'Redis cannot count for her page, so it is counted in memory',
    timeoutMs,
  );
  const limitOf = (name: keyof typeof LIMITS): Limit => ({ name: `place-${name}`, ...LIMITS[name] });
  return {
    admits: async (name, of) => (await take([{ limit: limitOf(name), of: digestOf(of) }])) === undefined,
    admitsVisitor: async (name, address) => (await take(visitorSlots(limitOf(name), address))) === undefined,
    async admitsIn({ text, token: { deposit, epoch } }, name) {
      const { most, windowS } = SESSION_LIMITS[name];
      const slots = [
        { limit: { name: `place-${name}`, most, windowS }, of: digestOf(text) },
        {
          limit: { name: `place-${name}-in-all`, most: most * SESSIONS, windowS },
          of: digestOf(`${deposit} ${epoch}`),
        },
      ];
      return (await take(slots)) === undefined;
    },
  };
}
