import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { AppError } from '#server/errors.ts';
import type { Logger } from '#server/logger.ts';
import { withTimeout } from '#server/with-timeout.ts';
import { COUNT_WHILE_ROOM } from './count-while-room.ts';
import { type KnownSubmits, knownToMemory, knownToRedis } from './known-submits.ts';

const WINDOW_S = 10 * 60;
const OVERALL_WINDOW_S = 60;

/** Repeated submits and edits make no payment; still, each asks Stripe, and an edit may write to somebody else. */
const REQUESTS_PER_REGISTRATION = 4;

/** The most that counting may add to a request while Redis hangs; with the mail's 150 ms, 250 in all (R5.1). */
const REDIS_TIMEOUT_MS = 100;

interface LimitSettings {
  /** New registrations from one address in ten minutes; as many for one e-mail address, and edits of one's own. */
  perAddress: number;
  /** New registrations of all visitors in a minute. */
  overall: number;
}

/** One submit of the contact step, as far as it is counted. */
export interface RegistrationAttempt {
  /** Of the visitor, see `visitorAddress`. */
  address: string;
  email: string;
  /** The registration's idempotency key, or the client secret of the payment that it has. */
  proof: string;
  /** Whether it has no payment yet, as far as the browser knows. */
  isNew: boolean;
}

/**
 * Keeps those who try out stolen cards from getting payments to try them on. What is counted are new registrations:
 * repeating or editing one counts for little, and one that is paid gives its place back, so that the people of one
 * office, who share an address, all get through.
 */
export interface RegistrationLimits {
  /**
   * Counts an attempt, in Redis for all replicas, in memory while Redis is away.
   * @throws {AppError} 429 with the seconds to wait, when there were too many
   */
  admit(attempt: RegistrationAttempt): Promise<void>;
  /** Remembers for ten minutes whose payment this is, to give the place back; best effort. */
  remember(paymentIntentId: string, address: string): void;
  /** Gives the place of a paid registration back, once; best effort. */
  giveBack(paymentIntentId: string): Promise<void>;
}

/** The names of the limits that refuse. */
export const LIMITS = {
  requestsByAddress: 'registration-requests',
  newByAddress: 'registrations-by-address',
  byEmail: 'registrations-by-email',
  newOverall: 'registrations-overall',
  edits: 'registration-edits',
} as const;

/** Is told how the limits go. */
export interface LimitWatcher {
  /** One of `LIMITS` refused a registration. */
  refused(limit: string): void;
  /** Redis did not count a registration: this process did, by itself. */
  countedInMemory(): void;
}

/** The limits on a connection made by `connectProducer`, which stays its owner's. */
export function createRegistrationLimits(
  redis: Redis,
  settings: LimitSettings,
  logger: Logger,
  watcher: LimitWatcher = { refused() {}, countedInMemory() {} },
): RegistrationLimits {
  const addressKey = (paymentIntentId: string): string => `registration-address:${paymentIntentId}`;
  const forgo = (error: unknown): void => logger.warn({ err: error }, 'A place in the limits is not kept');
  const memory = { lifeS: WINDOW_S, onFailure: forgo };
  const inRedis = { storeClient: redis, customIncrTtlLuaScript: COUNT_WHILE_ROOM };
  const shared = {
    ...limitersOf(settings, (options) => new RateLimiterRedis({ ...options, ...inRedis })),
    known: knownToRedis(redis, memory),
  };
  const local = {
    ...limitersOf(settings, (options) => new RateLimiterMemory(options)),
    known: knownToMemory(memory),
  };
  const count = async (attempt: RegistrationAttempt): Promise<LimitRefusal | undefined> => {
    if (redis.status === 'ready') {
      try {
        return await withTimeout(admitWith(shared, attempt), REDIS_TIMEOUT_MS);
      } catch (error) {
        logger.warn({ err: error }, 'Redis does not count this registration, memory does');
      }
    }
    watcher.countedInMemory();
    return admitWith(local, attempt);
  };
  return {
    async admit(attempt) {
      const refusal = await count(attempt);
      if (!refusal) return;
      watcher.refused(refusal.limit);
      throw tooMany(refusal);
    },
    remember(paymentIntentId, address) {
      if (redis.status !== 'ready') return;
      redis.set(addressKey(paymentIntentId), address, 'EX', WINDOW_S).catch(forgo);
    },
    async giveBack(paymentIntentId) {
      const give = async (): Promise<void> => {
        const address = await redis.getdel(addressKey(paymentIntentId));
        if (!address) return;
        await shared.newByAddress.reward(address);
        await shared.requestsByAddress.reward(address, REQUESTS_PER_REGISTRATION);
      };
      await withTimeout(give(), REDIS_TIMEOUT_MS).catch(forgo);
    },
  };
}

type Limiters = ReturnType<typeof limitersOf> & { known: KnownSubmits };

function limitersOf(
  { perAddress, overall }: LimitSettings,
  create: (options: IRateLimiterOptions) => RateLimiterAbstract,
) {
  const limiter = (keyPrefix: string, points: number, duration = WINDOW_S) =>
    create({ keyPrefix, points, duration });
  return {
    requestsByAddress: limiter(LIMITS.requestsByAddress, perAddress * REQUESTS_PER_REGISTRATION),
    newByAddress: limiter(LIMITS.newByAddress, perAddress),
    byEmail: limiter(LIMITS.byEmail, perAddress),
    newOverall: limiter(LIMITS.newOverall, overall, OVERALL_WINDOW_S),
    edits: limiter(LIMITS.edits, perAddress),
  };
}

/** The limit that refuses, and how long. */
interface LimitRefusal {
  limit: string;
  waitMs: number;
}

/**
 * Asks for the places of a registration together, as each answer takes its time, but only for those whose address has
 * requests left: a flood would use up everybody's places until it has given its own back.
 */
async function admitWith(
  limiters: Limiters,
  attempt: RegistrationAttempt,
): Promise<LimitRefusal | undefined> {
  const { address, isNew, proof } = attempt;
  const email = attempt.email.toLowerCase();
  const submit = digestOf(`${proof} ${email}`);
  const [tooOften, isKnown] = await Promise.all([
    take([[limiters.requestsByAddress, address]]),
    limiters.known.has(submit),
  ]);
  if (tooOften || isKnown) return tooOften;

  const byEmail: Place = [limiters.byEmail, digestOf(email)];
  const refusal = isNew
    ? await take([[limiters.newByAddress, address], byEmail, [limiters.newOverall, 'all']])
    : await take([[limiters.edits, digestOf(proof)], byEmail]);
  if (!refusal) limiters.known.add(submit);
  return refusal;
}

/** Redis holds addresses for ten minutes, but no e-mail address, and no proof that opens a registration. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

type Place = [limiter: RateLimiterAbstract, key: string];

/** Takes a place in each. Whoever is refused by one gets the others back: nothing is used up. */
async function take(places: readonly Place[]): Promise<LimitRefusal | undefined> {
  const answers = await Promise.all(
    places.map(async ([limiter, key]) => ({
      limiter,
      key,
      refusal: await limiter.consume(key).then(nothing, refusalIn),
    })),
  );
  for (const { limiter, refusal } of answers) {
    if (!refusal) continue;
    const taken = answers.filter((answer) => !answer.refusal);
    await Promise.all(taken.map((place) => place.limiter.reward(place.key)));
    return { limit: limiter.keyPrefix, waitMs: refusal.msBeforeNext };
  }
  return undefined;
}

const nothing = (): undefined => undefined;

function refusalIn(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}

function tooMany({ waitMs }: LimitRefusal): AppError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1000));
  const minutes = Math.ceil(retryAfterS / 60);
  return new AppError({
    code: 'too_many_registrations',
    status: 429,
    message: `There were too many registrations. Please try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`,
    retryAfterS,
  });
}
