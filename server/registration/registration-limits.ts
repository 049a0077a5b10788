import { AppError } from '#server/http/app-error.ts';
import type { Refusal } from '#server/limits/limiter.ts';
import { limiterInRedis } from '#server/limits/limiter-in-redis.ts';
import { sharedLimiter } from '#server/limits/shared-limiter.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { PROVIDER_BUSY } from '#shared/registration.ts';
import {
  type Allowance,
  LIMITS,
  REQUESTS_PER_REGISTRATION,
  type RegistrationAttempt,
  receiptOf,
  registrationPlaces,
  senderNote,
} from './registration-places.ts';
import { createWaitingLine, type WaitingLineBounds } from './waiting-line.ts';

/** How long Redis may take to give a place back. */
const GIVE_BACK_TIMEOUT_MS = 100;

/** Beyond what all visitors together may begin, some wait for their turn rather than being sent away. */
const WAITING_LINE: WaitingLineBounds = { patienceMs: 8_000, most: 50 };

/** In the log, when Redis does not answer in time. */
export const COUNTED_IN_MEMORY = 'Redis cannot count this registration, so it is counted in memory';

interface LimitSettings extends Allowance {
  /** Whom visitors call when there is no room for anybody. */
  officePhone: string;
  /** Other bounds than the usual ones, here and below. */
  waitingLine?: WaitingLineBounds;
  redisTimeoutMs?: number;
}

/**
 * Keeps those who try out stolen cards from getting payments to try them on. What is counted are new registrations:
 * repeating or editing one counts for little, and one that is paid gives its place back, so that the people of one
 * office, who share an address, all get through. Counts in Redis for all replicas, in memory while Redis is away. Each
 * method but the last throws an AppError (429, with the seconds to wait) when there were too many.
 */
export interface RegistrationLimits {
  /** Counts a request of whatever kind, also one that is malformed. */
  countRequest(sender: Pick<RegistrationAttempt, 'address'>): Promise<void>;
  /** Counts a consent to the terms, also one that is malformed. */
  countConsent(sender: Pick<RegistrationAttempt, 'address'>): Promise<void>;
  /**
   * Does what was counted. When the payment provider had no room for it, it comes again by itself and counts for nothing.
   */
  unlessBusy<Result>(
    counted: 'request' | 'consent',
    sender: Pick<RegistrationAttempt, 'address'>,
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Takes the places of a new registration; while all visitors together are too many, up to 8 s later. */
  admitNew(attempt: RegistrationAttempt): Promise<void>;
  /** Takes those of an edit whose proof has been verified: nobody uses up another's with an invented one. */
  admitEdit(attempt: RegistrationAttempt): Promise<void>;
  /** Gives the place of a registration that is paid within ten minutes back, once, by its name; best effort. */
  giveBack(registration: string): Promise<void>;
}

/** Is told how the limits go. */
export interface LimitWatcher {
  /** One of `LIMITS` refused a registration. */
  refused(limit: string): void;
  /** Redis did not count a registration: this process did, by itself. */
  countedInMemory(): void;
}

/** The limits on a connection made by `connectProducer`, which stays its owner's. */
export function createRegistrationLimits(
  redis: RedisClient,
  settings: LimitSettings,
  logger: Logger,
  watcher: LimitWatcher = { refused() {}, countedInMemory() {} },
): RegistrationLimits {
  const places = registrationPlaces(settings);
  const { redisTimeoutMs = GIVE_BACK_TIMEOUT_MS, waitingLine = WAITING_LINE } = settings;
  const line = createWaitingLine(waitingLine);
  const shared = limiterInRedis(redis);
  const { take, giveBack: giveOneBack } = sharedLimiter(
    redis,
    logger,
    COUNTED_IN_MEMORY,
    settings.redisTimeoutMs,
  );
  const throwIf = (refusal: Refusal | undefined): void => {
    if (!refusal) return;
    watcher.refused(refusal.limit);
    throw tooMany(refusal, settings.officePhone);
  };
  const countRequest: RegistrationLimits['countRequest'] = async ({ address }) => {
    const place = places.ofRequest(address);
    throwIf(await take([place], { onLocal: watcher.countedInMemory }));
  };
  return {
    countRequest,
    async unlessBusy(counted, { address }, work) {
      try {
        return await work();
      } catch (error) {
        const place = counted === 'request' ? places.ofRequest(address) : places.ofConsent(address);
        if (error instanceof AppError && error.code === PROVIDER_BUSY) await giveOneBack(place);
        throw error;
      }
    },
    async countConsent({ address }) {
      throwIf(await take([places.ofConsent(address)]));
    },
    async admitNew(attempt) {
      await countRequest(attempt);
      const admit = () => take(places.ofNew(attempt), { receipt: receiptOf(attempt) });
      const refusal = await admit();
      const isForAll = refusal?.limit === LIMITS.newOverall;
      throwIf(isForAll ? await line.wait(attempt.address, refusal, admit) : refusal);
    },
    async admitEdit(attempt) {
      throwIf(await take(places.ofEdit(attempt), { receipt: receiptOf(attempt) }));
    },
    async giveBack(registration) {
      const give = async (): Promise<void> => {
        const address = await shared.takeNote(senderNote(registration));
        if (!address) return;
        for (const place of places.ofSender(address)) await shared.giveBack(place, 1);
        await shared.giveBack(places.ofRequest(address), REQUESTS_PER_REGISTRATION);
      };
      await withTimeout(give(), redisTimeoutMs).catch((error: unknown) =>
        logger.warn({ err: error }, 'A place in the registration limits could not be given back'),
      );
    },
  };
}

function tooMany({ limit, waitMs }: Refusal, officePhone: string): AppError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1000));
  const minutes = Math.ceil(retryAfterS / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return new AppError({
    code: 'too_many_registrations',
    status: 429,
    message:
      limit === LIMITS.newOverall
        ? `Very many people are registering at this moment. Please try again in ${wait}, or call the retreat office at ${officePhone}`
        : `There were too many registrations. Please try again in ${wait}`,
    retryAfterS,
  });
}
