import type { Redis } from 'ioredis';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** The submits that were admitted of late, so that their repetitions are not counted anew. */
export interface KnownSubmits {
  has(submit: string): Promise<boolean>;
  /** Nobody waits for it: a submit that cannot be remembered counts again when it is repeated. */
  add(submit: string): void;
}

interface Memory {
  /** How long a submit is known, in seconds. */
  lifeS: number;
  onFailure: (error: unknown) => void;
}

/** Those of all replicas. */
export function knownToRedis(redis: Redis, { lifeS, onFailure }: Memory): KnownSubmits {
  const keyOf = (submit: string): string => `registrations-known:${submit}`;
  return {
    has: async (submit) => (await redis.exists(keyOf(submit))) === 1,
    add: (submit) => {
      redis.set(keyOf(submit), '', 'EX', lifeS).catch(onFailure);
    },
  };
}

/** Those of this process. */
export function knownToMemory({ lifeS, onFailure }: Memory): KnownSubmits {
  const memory = new RateLimiterMemory({ points: 1, duration: lifeS });
  return {
    has: async (submit) => (await memory.get(submit)) !== null,
    add: (submit) => {
      memory.set(submit, 1, lifeS).catch(onFailure);
    },
  };
}
