import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import { AppError } from '#server/http/app-error.ts';
import { registrationName } from '#server/payments/deposit.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import type { Admission, Admissions, Limit, Place, Refusal } from './admissions.ts';
import { admissionsInMemory } from './admissions-in-memory.ts';
import { admissionsInRedis } from './admissions-in-redis.ts';
import { createWaitingLine, type WaitingLineBounds } from './waiting-line.ts';

const WINDOW_S = 10 * 60;
const OVERALL_WINDOW_S = 60;

/** Repeated submits and edits make no payment; still, each asks Stripe, and an edit may write to somebody else. */
const REQUESTS_PER_REGISTRATION = 4;

/** The most that counting may add to a request while Redis hangs; with the mail's 150 ms, 250 in all (R5.1). */
const REDIS_TIMEOUT_MS = 100;

/** A Redis that has hung is not asked again so soon: a request asks more than once. */
const REDIS_PAUSE_MS = 200;

/** An office or a campus may have a whole network; so may somebody who tries out cards. */
const ADDRESSES_PER_NETWORK = 4;
const NETWORK_BITS = 48;

/** Beyond what all visitors together may begin, some wait for their turn rather than being sent away. */
const WAITING_LINE: WaitingLineBounds = { patienceMs: 8_000, most: 50 };

interface LimitSettings {
  /** New registrations from one address in ten minutes; as many for one e-mail address, and edits of one's own. */
  perAddress: number;
  /** New registrations of all visitors in a minute. */
  overall: number;
  /** Whom those call for whom there is no room at all. */
  officePhone: string;
  /** Other bounds than the usual ones. */
  waitingLine?: WaitingLineBounds;
}

/** Where a submit comes from. */
export interface Sender {
  /** Of the visitor, see `visitorAddress`. */
  address: string;
}

/** A registration that is to be begun or edited, as far as it is counted. */
export interface RegistrationAttempt extends Sender {
  email: string;
  /** The registration's idempotency key, or the client secret of the payment that it has. */
  proof: string;
}

/**
 * Keeps those who try out stolen cards from getting payments to try them on. What is counted are new registrations:
 * repeating or editing one counts for little, and one that is paid gives its place back, so that the people of one
 * office, who share an address, all get through. Counts in Redis for all replicas, in memory while Redis is away. Each
 * method but the last throws an AppError (429, with the seconds to wait) when there were too many.
 */
export interface RegistrationLimits {
  /** Counts a request of whatever kind, also one that is malformed. */
  countRequest(sender: Sender): Promise<void>;
  /** Takes the places of a new registration; while all visitors together are too many, up to 8 s later. */
  admitNew(attempt: RegistrationAttempt): Promise<void>;
  /** Takes those of an edit whose proof has been verified: nobody uses up another's with an invented one. */
  admitEdit(attempt: RegistrationAttempt): Promise<void>;
  /** Gives the place of a registration that is paid within ten minutes back, once, by its name; best effort. */
  giveBack(registration: string): Promise<void>;
}

/** The names of the limits that refuse. */
export const LIMITS = {
  requestsByAddress: 'registration-requests',
  newByAddress: 'registrations-by-address',
  newByNetwork: 'registrations-by-network',
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
  const forgo = (error: unknown): void =>
    logger.warn({ err: error }, 'A place in the registration limits could not be given back');
  const limits = limitsOf(settings);
  const line = createWaitingLine(settings.waitingLine ?? WAITING_LINE);
  const shared = admissionsInRedis(redis);
  const local = admissionsInMemory();
  let pausedUntilMs = 0;
  const decide = async (
    ask: (admissions: Admissions) => Promise<Refusal | undefined>,
    onLocal: () => void = () => {},
  ) => {
    if (redis.status === 'ready' && performance.now() > pausedUntilMs) {
      try {
        return await withTimeout(ask(shared), REDIS_TIMEOUT_MS);
      } catch (error) {
        pausedUntilMs = performance.now() + REDIS_PAUSE_MS;
        logger.warn({ err: error }, 'Redis cannot count this registration, so it is counted in memory');
      }
    }
    onLocal();
    return ask(local);
  };
  const pass = (refusal: Refusal | undefined): void => {
    if (!refusal) return;
    watcher.refused(refusal.limit);
    throw tooMany(refusal, settings.officePhone);
  };
  const countRequest = async ({ address }: Sender): Promise<void> => {
    const place = { limit: limits.requestsByAddress, of: address };
    pass(await decide((admissions) => admissions.take(place), watcher.countedInMemory));
  };
  return {
    countRequest,
    async admitNew(attempt) {
      await countRequest(attempt);
      const admission = admissionOf(attempt, newPlaces(attempt, limits));
      const ask = () => decide((admissions) => admissions.admit(admission));
      const refusal = await ask();
      const isForAll = refusal?.limit === LIMITS.newOverall;
      pass(isForAll ? await line.wait(attempt.address, refusal, ask) : refusal);
    },
    async admitEdit(attempt) {
      const edits = { limit: limits.edits, of: registrationName(attempt.proof) };
      const admission = admissionOf(attempt, [edits, emailPlace(attempt, limits)]);
      pass(await decide((admissions) => admissions.admit(admission)));
    },
    async giveBack(registration) {
      const give = async (): Promise<void> => {
        const address = await shared.takeHolder(registration);
        if (!address) return;
        for (const place of addressPlaces(address, limits)) await shared.giveBack(place, 1);
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
    newByNetwork: limit(LIMITS.newByNetwork, perAddress * ADDRESSES_PER_NETWORK),
    byEmail: limit(LIMITS.byEmail, perAddress),
    newOverall: { ...limit(LIMITS.newOverall, overall, OVERALL_WINDOW_S), evenly: true },
    edits: limit(LIMITS.edits, perAddress),
  };
}

function newPlaces(attempt: RegistrationAttempt, limits: Limits): Place[] {
  const overall = { limit: limits.newOverall, of: 'all' };
  return [...addressPlaces(attempt.address, limits), emailPlace(attempt, limits), overall];
}

function addressPlaces(address: string, limits: Limits): Place[] {
  const network = networkOf(address);
  const ofAddress = { limit: limits.newByAddress, of: address };
  return network ? [ofAddress, { limit: limits.newByNetwork, of: network }] : [ofAddress];
}

/** The network that whoever has this IPv6 address may have; of an IPv4 address there is none. */
function networkOf(address: string): string | undefined {
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${NETWORK_BITS}`).toString();
}

function emailPlace({ email }: RegistrationAttempt, limits: Limits): Place {
  return { limit: limits.byEmail, of: digestOf(email.toLowerCase()) };
}

function admissionOf({ address, email, proof }: RegistrationAttempt, places: readonly Place[]): Admission {
  return {
    registration: registrationName(proof),
    submit: digestOf(`${proof} ${email.toLowerCase()}`),
    holder: address,
    knownForS: WINDOW_S,
    places,
  };
}

/** Redis holds addresses for ten minutes, but no e-mail address, and no proof that opens a registration. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
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
