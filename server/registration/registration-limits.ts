import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { AppError } from '#server/http/app-error.ts';
import {
  type Limit,
  limiterInRedis,
  type Receipt,
  type Refusal,
  type Slot,
  sharedLimiter,
  slotKey,
  visitorSlots,
} from '#server/limits/limiter.ts';
import { registrationName } from '#server/record/registrations.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/work.ts';
import { PROVIDER_BUSY } from '#shared/registration.ts';

/** How long Redis may take to give a slot back. */
const GIVE_BACK_TIMEOUT_MS = 100;

/** When the limit for all visitors together is reached, some wait for their turn instead of being refused. */
const WAITING_LINE: WaitingLineBounds = { patienceMs: 8_000, most: 50 };

/** The warning in the log when Redis does not answer in time. */
const COUNTED_IN_MEMORY = 'Redis cannot count this registration, so it is counted in memory';

interface LimitSettings {
  /** New registrations from one address in ten minutes; the same number for edits of one registration. */
  perAddress: number;
  /** New registrations of all visitors in a minute. */
  overall: number;
  /** The number that visitors can call when the limit for all is reached. */
  officePhone: string;
  /** These two override the defaults. */
  waitingLine?: WaitingLineBounds;
  redisTimeoutMs?: number;
}

export type RegistrationLimits = ReturnType<typeof createRegistrationLimits>;

type Sender = Pick<RegistrationAttempt, 'address'>;

/** Is notified of refusals, and of counting without Redis. */
export interface LimitWatcher {
  /** One of `LIMITS` refused a registration, or one of `LETTER_LIMITS` somebody who joins the waiting list. */
  refused(limit: string): void;
  /** One of `LETTER_LIMITS` has the letters about a registration wait. */
  withheld(limit: string): void;
  /** Redis did not count a registration: this process counted it by itself. */
  countedInMemory(): void;
}

/**
 * Keeps people who try out stolen cards from getting payments to try them on. New registrations are counted:
 * repeating or editing one counts for little, and a paid one gives its slot back, so that people in one
 * office, who share an address, all get through. Counts in Redis for all replicas, in memory while Redis is
 * unavailable. Each method but the last two throws an AppError (429, with the seconds to wait) when there were
 * too many.
 * @param redis made by `connectProducer`; the caller owns it, and closes it
 */
export function createRegistrationLimits(
  redis: Redis,
  settings: LimitSettings,
  logger: Logger,
  watcher: LimitWatcher = { refused() {}, withheld() {}, countedInMemory() {} },
) {
  const limits = limitsOf(settings);
  const { redisTimeoutMs = GIVE_BACK_TIMEOUT_MS, waitingLine = WAITING_LINE } = settings;
  const line = createWaitingLine(waitingLine);
  const shared = limiterInRedis(redis);
  const counter = sharedLimiter(redis, logger, COUNTED_IN_MEMORY, settings.redisTimeoutMs);
  const { take } = counter;
  const throwIf = (refusal: Refusal | undefined): void => {
    if (!refusal) return;
    watcher.refused(refusal.limit);
    throw tooMany(refusal, settings.officePhone);
  };
  /** The slots of a letter that are counted for the one who had it sent, and for all. */
  const letterSlots = (address: string): Slot[] => [
    ...visitorSlots(limits.lettersByAddress, address),
    { limit: limits.lettersOverall, of: 'all' },
  ];
  /** Counts a request of any kind, also a malformed one. */
  const countRequest = async ({ address }: Sender): Promise<void> => {
    throwIf(await take(visitorSlots(limits.requests, address), { onLocal: watcher.countedInMemory }));
  };
  return {
    countRequest,
    /** Counts a consent to the terms, also a malformed one. */
    async countConsent({ address }: Sender): Promise<void> {
      throwIf(await take(visitorSlots(limits.consents, address)));
    },
    /**
     * Runs work that was counted. If the payment provider had no capacity for it, the count is taken back,
     * because the page repeats the request automatically.
     */
    async unlessBusy<Result>(
      counted: 'request' | 'consent',
      { address }: Sender,
      work: () => Promise<Result>,
    ): Promise<Result> {
      try {
        return await work();
      } catch (error) {
        const limit = counted === 'request' ? limits.requests : limits.consents;
        if (error instanceof AppError && error.code === PROVIDER_BUSY)
          for (const slot of visitorSlots(limit, address)) await counter.giveBack(slot);
        throw error;
      }
    },
    /**
     * Takes the slots of a new registration; if the limit for all visitors is reached, waits for up to 8 s. `joins` the
     * waiting list, which consists in a letter to her: then those of a letter, but of none to her address, by which
     * anybody could keep her out.
     */
    async admitNew(attempt: RegistrationAttempt, as: 'registers' | 'joins' = 'registers'): Promise<void> {
      await countRequest(attempt);
      const { address } = attempt;
      const slots: Slot[] = [
        ...visitorSlots(limits.newByAddress, address),
        { limit: limits.newOverall, of: 'all' },
        ...(as === 'joins' ? visitorSlots(limits.lettersByAddress, address) : []),
      ];
      const admit = () => take(slots, { receipt: receiptOf(attempt) });
      const refusal = await admit();
      const isForAll = refusal?.limit === LIMITS.newOverall;
      throwIf(isForAll ? await line.wait(address, refusal, admit) : refusal);
    },
    /**
     * Takes the slots of an edit whose proof has been verified: with an invented proof nobody can use up
     * another registrant's slots.
     */
    async admitEdit(attempt: RegistrationAttempt): Promise<void> {
      const slot = { limit: limits.edits, of: registrationName(attempt.proof) };
      throwIf(await take([slot], { receipt: receiptOf(attempt) }));
    },
    /** Takes the slots of a letter to somebody who has not paid; false when there were too many. */
    async admitLetter(
      { address, email }: Pick<RegistrationAttempt, 'address' | 'email'>,
      isNeeded = true,
    ): Promise<boolean> {
      const byEmail = { limit: limits.lettersByEmail, of: slotKey(mailboxOf(email)) };
      const refusal = await take(isNeeded ? [byEmail, ...letterSlots(address)] : []);
      if (refusal) watcher.withheld(refusal.limit);
      return refusal === undefined;
    },
    /**
     * Gives back the slots of a registration that was paid within ten minutes, once, by its name; best effort.
     */
    async giveBack(registration: string): Promise<void> {
      const give = async (): Promise<void> => {
        const address = await shared.takeNote(senderNote(registration));
        if (!address) return;
        const once = [...visitorSlots(limits.newByAddress, address), ...letterSlots(address)];
        for (const slot of once) await shared.giveBack(slot, 1);
        for (const slot of visitorSlots(limits.requests, address))
          await shared.giveBack(slot, REQUESTS_PER_REGISTRATION);
      };
      await withTimeout(give(), redisTimeoutMs).catch((error: unknown) =>
        logger.warn({ err: error }, 'A slot in the registration limits could not be given back'),
      );
    },
  };
}

/** Letters to `name+tag@…` come to the mailbox `name@…`, whatever the tag. */
const mailboxOf = (email: string): string => email.toLowerCase().replace(/\+[^@]*@/, '@');

function tooMany({ limit, waitMs }: Refusal, officePhone: string): AppError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1000));
  const isForAll = limit === LIMITS.newOverall;
  const minutes = Math.ceil(retryAfterS / 60);
  const hours = Math.ceil(minutes / 60);
  const wait = minutes === 1 ? 'a minute' : minutes <= 90 ? `${minutes} minutes` : `${hours} hours`;
  return new AppError({
    code: 'too_many_registrations',
    status: 429,
    message: isForAll
      ? `Very many people are registering at this moment. Please try again in ${wait}, or call the retreat office at ${officePhone}`
      : `There were too many registrations. Please try again in ${wait}`,
    retryAfterS,
  });
}

const WINDOW_S = 10 * 60;
const OVERALL_WINDOW_S = 60;
const DAY_S = 24 * 60 * 60;

/** Repeated submits and edits create no payment; still, each calls Stripe. */
const REQUESTS_PER_REGISTRATION = 4;

/**
 * A payment is closed after five failed attempts, each of which sends the consent, and a registration that
 * was paid makes room for another one.
 */
const CONSENTS_PER_REGISTRATION = 10;

/**
 * How many letters go in a day to people who have not paid: anybody may have typed their addresses. From one visitor's
 * address and in all, as parts of how many registrations may be begun; to one e-mail address.
 */
const LETTERS_PER_ADDRESS = 4;
const LETTERS_OVERALL = 20;
const LETTERS_PER_EMAIL = 3;

/** Those that refuse; by address they also count for its IPv6 network. */
export const LIMITS = {
  requestsByAddress: 'registration-requests',
  newByAddress: 'registrations-by-address',
  newOverall: 'registrations-overall',
  edits: 'registration-edits',
  consentsByAddress: 'registration-consents',
} as const;

/** The names of the limits that have letters wait until she pays. */
export const LETTER_LIMITS = {
  byAddress: 'letters-by-address',
  byEmail: 'letters-by-email',
  overall: 'letters-overall',
} as const;

/** A registration that is begun or edited, with the data that the limits need. */
interface RegistrationAttempt {
  /** The visitor's address, see `visitorAddress`. */
  address: string;
  email: string;
  /** The registration's idempotency key, or the client secret of the payment that it has. */
  proof: string;
}

function limitsOf({ perAddress, overall }: LimitSettings) {
  const limit = (name: string, most: number, windowS = WINDOW_S): Limit => ({ name, most, windowS });
  return {
    requests: limit(LIMITS.requestsByAddress, perAddress * REQUESTS_PER_REGISTRATION),
    newByAddress: limit(LIMITS.newByAddress, perAddress),
    newOverall: { ...limit(LIMITS.newOverall, overall, OVERALL_WINDOW_S), evenly: true },
    edits: limit(LIMITS.edits, perAddress),
    consents: limit(LIMITS.consentsByAddress, perAddress * CONSENTS_PER_REGISTRATION),
    lettersByAddress: limit(LETTER_LIMITS.byAddress, perAddress * LETTERS_PER_ADDRESS, DAY_S),
    lettersByEmail: limit(LETTER_LIMITS.byEmail, LETTERS_PER_EMAIL, DAY_S),
    lettersOverall: limit(LETTER_LIMITS.overall, overall * LETTERS_OVERALL, DAY_S),
  };
}

/**
 * The receipt that lets a submit be repeated, and remembers the address from which its registration came,
 * both for ten minutes.
 */
function receiptOf({ address, email, proof }: RegistrationAttempt): Receipt {
  return {
    name: `registrations-known:${slotKey(`${proof} ${email.toLowerCase()}`)}`,
    note: { name: senderNote(registrationName(proof)), value: address },
    keptForS: WINDOW_S,
  };
}

/** The name of the note with the address from which a registration came. */
function senderNote(registration: string): string {
  return `registration-address:${registration}`;
}

/** How long a visitor waits, and how many wait at the same time in one process. */
export interface WaitingLineBounds {
  patienceMs: number;
  most: number;
}

/** A queue in which visitors wait for a slot under a limit, first come, first served. It is empty at first. */
export function createWaitingLine({ patienceMs, most }: WaitingLineBounds) {
  const inLine = new Set<string>();
  let last = Promise.resolve();

  const askUntil = async (deadlineMs: number, refusal: Refusal, ask: () => Promise<Refusal | undefined>) => {
    let latest: Refusal | undefined = refusal;
    while (latest?.limit === refusal.limit) {
      const leftMs = deadlineMs - performance.now();
      if (latest.waitMs > leftMs) return latest;
      await pause(latest.waitMs);
      latest = await ask();
    }
    return latest;
  };
  return {
    /**
     * Waits for a visitor's turn, then asks for a slot until there is one. Each address is in the line at most
     * once.
     * @returns the last refusal, when no slot came in time, or the line was full
     */
    async wait(address: string, refusal: Refusal, ask: () => Promise<Refusal | undefined>) {
      if (inLine.size >= most || inLine.has(address)) return refusal;
      const deadlineMs = performance.now() + patienceMs;
      const before = last;
      let leave = (): void => {};
      last = new Promise((resolve) => {
        leave = resolve;
      });
      inLine.add(address);
      try {
        const atTheHead = await Promise.race([before.then(() => true), pause(patienceMs, false)]);
        return atTheHead ? await askUntil(deadlineMs, refusal, ask) : refusal;
      } finally {
        inLine.delete(address);
        void before.then(leave);
      }
    },
  };
}
