import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { AppError } from '#server/errors.ts';
import type { Logger } from '#server/logger.ts';
import { registrationName } from '#server/payments/registration-name.ts';
import { withTimeout } from '#server/with-timeout.ts';
import type { Admission, Limit, Refusal } from './admissions.ts';
import { admissionsInMemory } from './admissions-in-memory.ts';
import { admissionsInRedis } from './admissions-in-redis.ts';

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
  /** Gives the place of a registration that is paid within ten minutes back, once, by its name; best effort. */
  giveBack(registration: string): Promise<void>;
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
  const forgo = (error: unknown): void => logger.warn({ err: error }, 'A place in the limits is not kept');
  const limits = limitsOf(settings);
  const shared = admissionsInRedis(redis);
  const local = admissionsInMemory();
  const decide = async (admission: Admission): Promise<Refusal | undefined> => {
    if (redis.status === 'ready') {
      try {
        return await withTimeout(shared.admit(admission), REDIS_TIMEOUT_MS);
      } catch (error) {
        logger.warn({ err: error }, 'Redis does not count this registration, memory does');
      }
    }
    watcher.countedInMemory();
    return local.admit(admission);
  };
  return {
    async admit(attempt) {
      const refusal = await decide(admissionOf(attempt, limits));
      if (!refusal) return;
      watcher.refused(refusal.limit);
      throw tooMany(refusal);
    },
    async giveBack(registration) {
      const give = async (): Promise<void> => {
        const address = await shared.takeHolder(registration);
        if (!address) return;
        await shared.giveBack({ limit: limits.newByAddress, of: address }, 1);
        await shared.giveBack({ limit: limits.requestsByAddress, of: address }, REQUESTS_PER_REGISTRATION);
      };
      await withTimeout(give(), REDIS_TIMEOUT_MS).catch(forgo);
    },
  };
}

type Limits = Record<keyof typeof LIMITS, Limit>;

function limitsOf({ perAddress, overall }: LimitSettings): Limits {
  const limit = (name: string, most: number, windowS = WINDOW_S): Limit => ({ name, most, windowS });
  return {
    requestsByAddress: limit(LIMITS.requestsByAddress, perAddress * REQUESTS_PER_REGISTRATION),
    newByAddress: limit(LIMITS.newByAddress, perAddress),
    byEmail: limit(LIMITS.byEmail, perAddress),
    newOverall: limit(LIMITS.newOverall, overall, OVERALL_WINDOW_S),
    edits: limit(LIMITS.edits, perAddress),
  };
}

function admissionOf({ address, email, proof, isNew }: RegistrationAttempt, limits: Limits): Admission {
  const recipient = email.toLowerCase();
  const byEmail = { limit: limits.byEmail, of: digestOf(recipient) };
  return {
    request: { limit: limits.requestsByAddress, of: address },
    registration: registrationName(proof),
    submit: digestOf(`${proof} ${recipient}`),
    knownForS: WINDOW_S,
    places: isNew
      ? [{ limit: limits.newByAddress, of: address }, byEmail, { limit: limits.newOverall, of: 'all' }]
      : [{ limit: limits.edits, of: registrationName(proof) }, byEmail],
  };
}

/** Redis holds addresses for ten minutes, but no e-mail address, and no proof that opens a registration. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function tooMany({ waitMs }: Refusal): AppError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1000));
  const minutes = Math.ceil(retryAfterS / 60);
  return new AppError({
    code: 'too_many_registrations',
    status: 429,
    message: `There were too many registrations. Please try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`,
    retryAfterS,
  });
}
