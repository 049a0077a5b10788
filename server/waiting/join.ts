import type { Capacity } from '#server/capacity/capacity.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { registrationName } from '#server/payments/deposit.ts';
import type { Payments } from '#server/payments/payments.ts';
import { waitingLettersDue } from '#server/payments/waiting-letters.ts';
import type { WaitingRecord } from '#server/payments/waiting-record.ts';
import type { WaitingModel } from '#server/register/waiting-model.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { type Contact, messages } from '#shared/registration.ts';
import { type JoinWaitingResponse, PLACES_LEFT } from '#shared/waiting.ts';

/** How long updating the read model of the waiting list may take; if it fails, the next walk does it. */
const SHOW_TIMEOUT_MS = 100;

export interface JoinDependencies {
  payments: Pick<Payments, 'waiting'>;
  capacity: Pick<Capacity, 'isFull'>;
  limits: Pick<RegistrationLimits, 'admitNew'>;
  mailQueue: Pick<MailQueue, 'add' | 'isReady'>;
  /** Asks the worker for a walk through all registrations. */
  askForWalk: () => Promise<void>;
  waitingModel: Pick<WaitingModel, 'patch'>;
  logger: Logger;
  now: () => Date;
}

/** One submit of the waiting list's form, parsed. */
export interface JoinSubmit extends Contact {
  timeZone: string;
  /** Identifies this joining across repeated submits. */
  key: string;
  /** The visitor's address, for the limits. */
  address: string;
}

/**
 * Puts a visitor on the waiting list, and queues the letters that her entry owes. For an address that is on
 * the list already, or has a place, the answer is the same: only the letter to it says so.
 * @throws {AppError} while there are places, after too many attempts, or when Stripe fails
 */
export async function joinWaitingList(
  { key, address, timeZone, ...contact }: JoinSubmit,
  { payments, capacity, limits, mailQueue, askForWalk, waitingModel, logger, now }: JoinDependencies,
): Promise<JoinWaitingResponse> {
  if (!capacity.isFull()) throw placesLeft();
  await limits.admitNew({ address, email: contact.email, proof: key });
  const record = await payments.waiting.join({ contact, timeZone, facts }, registrationName(key), now());
  // Started now and awaited later, so that a hanging Redis is waited for only once (R5.1).
  const shown = show(record, { waitingModel, mailQueue, logger });
  try {
    await mailQueue.add(...waitingLettersDue(record, now()));
    await shown;
    return { confirmationMail: 'queued' };
  } catch (error) {
    const told = { err: causeOf(error), waiting: record.id };
    logger.error(
      told,
      'The letters of the waiting list could not be queued: the worker will send them later',
    );
    // A slow Redis still takes them; one that is away does not.
    if (!mailQueue.isReady()) void askForWalk();
    return { confirmationMail: 'later' };
  }
}

async function show(
  record: WaitingRecord,
  { waitingModel, mailQueue, logger }: Pick<JoinDependencies, 'waitingModel' | 'mailQueue' | 'logger'>,
): Promise<void> {
  if (!mailQueue.isReady()) return;
  await withTimeout(waitingModel.patch(record), SHOW_TIMEOUT_MS).catch((error: unknown) => {
    logger.warn({ err: error, waiting: record.id }, 'The next walk shows who has joined the waiting list');
  });
}

function placesLeft(): AppError {
  return new AppError({ code: PLACES_LEFT, status: 409, message: messages.placesLeft });
}
