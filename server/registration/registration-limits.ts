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

const WINDOW_S = 10 * 60;
const OVERALL_WINDOW_S = 60;

/** Repeated submits and edits make no payment; still, each asks Stripe. */
const REQUESTS_PER_REGISTRATION = 4;

/** The most that counting may add to a request while Redis hangs; with the mail's 150 ms, 250 in all (R5.1). */
const REDIS_TIMEOUT_MS = 100;

interface LimitSettings {
  /** New registrations from one address in ten minutes; as many for one e-mail address. */
  perAddress: number;
  /** New registrations of all visitors in a minute. */
  overall: number;
}

/** One submit of the contact step, as far as it is counted. */
export interface RegistrationAttempt {
  /** Of the visitor, see `visitorAddress`. */
  address: string;
  email: string;
  /** The registration's idempotency key, or undefined for the edit of one that has its payment. */
  newKey: string | undefined;
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

/** The limits on a connection made by `connectProducer`, which stays its owner's. */
export function createRegistrationLimits(
  redis: Redis,
  settings: LimitSettings,
  logger: Logger,
): RegistrationLimits {
  const shared = limitersOf(settings, (options) => new RateLimiterRedis({ ...options, storeClient: redis }));
  const local = limitersOf(settings, (options) => new RateLimiterMemory(options));
  const addressKey = (paymentIntentId: string): string => `registration-address:${paymentIntentId}`;
  const forgo = (error: unknown): void => logger.warn({ err: error }, 'A place in the limits is not kept');
  return {
    async admit(attempt) {
      if (redis.status !== 'ready') return admitWith(local, attempt);
      try {
        await withTimeout(admitWith(shared, attempt), REDIS_TIMEOUT_MS);
      } catch (error) {
        if (error instanceof AppError) throw error;
        logger.warn({ err: error }, 'Redis does not count this registration, memory does');
        await admitWith(local, attempt);
      }
    },
    remember(paymentIntentId, address) {
      if (redis.status !== 'ready') return;
      redis.set(addressKey(paymentIntentId), address, 'EX', WINDOW_S).catch(forgo);
    },
    async giveBack(paymentIntentId) {
      const give = async (): Promise<void> => {
        const address = await redis.getdel(addressKey(paymentIntentId));
        if (address) await shared.newByAddress.reward(address);
      };
      await withTimeout(give(), REDIS_TIMEOUT_MS).catch(forgo);
    },
  };
}

type Limiters = ReturnType<typeof limitersOf>;

function limitersOf(
  { perAddress, overall }: LimitSettings,
  create: (options: IRateLimiterOptions) => RateLimiterAbstract,
) {
  const requests = perAddress * REQUESTS_PER_REGISTRATION;
  const limiter = (keyPrefix: string, points: number, duration = WINDOW_S) =>
    create({ keyPrefix, points, duration });
  return {
    requestsByAddress: limiter('registration-requests', requests),
    newByAddress: limiter('registrations-by-address', perAddress),
    newByEmail: limiter('registrations-by-email', perAddress),
    newOverall: limiter('registrations-overall', overall, OVERALL_WINDOW_S),
    knownKeys: limiter('registration-keys', requests),
  };
}

async function admitWith(limiters: Limiters, { address, email, newKey }: RegistrationAttempt): Promise<void> {
  await take(limiters.requestsByAddress, address);
  if (newKey === undefined) return;
  const key = digestOf(newKey);
  if (await limiters.knownKeys.get(key)) return;

  await Promise.all([
    take(limiters.newByAddress, address),
    take(limiters.newByEmail, digestOf(email.toLowerCase())),
  ]);
  await take(limiters.newOverall, 'all');
  await limiters.knownKeys.consume(key);
}

/** Redis holds no e-mail address, and no key that opens a registration. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function take(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    throw refusal instanceof RateLimiterRes ? tooMany(refusal) : refusal;
  }
}

function tooMany({ msBeforeNext }: RateLimiterRes): AppError {
  const retryAfterS = Math.max(1, Math.ceil(msBeforeNext / 1000));
  const minutes = Math.ceil(retryAfterS / 60);
  return new AppError({
    code: 'too_many_registrations',
    status: 429,
    message: `There were too many registrations. Please try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`,
    retryAfterS,
  });
}
