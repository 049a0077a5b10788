import { AppError, causeOf } from '#server/http/app-error.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { PlacesShown } from '#server/register/places.ts';
import { waitingLettersDue } from '#server/register/waiting-letters.ts';
import type { WaitingList } from '#server/register/waiting-list.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { Logger } from '#server/service/logger.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { type Contact, messages } from '#shared/registration.ts';
import { PLACES_LEFT } from '#shared/waiting.ts';

export interface JoinDependencies {
  waitingList: Pick<WaitingList, 'join' | 'find'>;
  placesShown: Pick<PlacesShown, 'isFull'>;
  limits: Pick<RegistrationLimits, 'admitNew'>;
  mailQueue: Pick<MailQueue, 'add' | 'isReady'>;
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
 * Puts a visitor on the waiting list. For an address that is on the list already, or has a place, it does the same: only
 * the letter to it says so, see `writeToWaiting`.
 * @returns her entry's id
 * @throws {AppError} while there are places, after too many attempts, or when the database fails
 */
export async function joinWaitingList(
  { key, address, timeZone, ...contact }: JoinSubmit,
  { waitingList, placesShown, limits }: JoinDependencies,
): Promise<string> {
  if (!placesShown.isFull()) throw placesLeft();
  await limits.admitNew({ address, email: contact.email, proof: key }, 'joins');
  return waitingList.join({ contact, timeZone, facts });
}

/** Queues the letters that an entry owes. It is called after the answer, because it takes longer for a new address. */
export async function writeToWaiting(
  id: string,
  { waitingList, mailQueue, logger, now }: JoinDependencies,
): Promise<void> {
  try {
    const record = await waitingList.find(id);
    if (record) await mailQueue.add(...waitingLettersDue(record, now()));
    logger.info({ waiting: id }, 'Somebody has put an address on the waiting list');
  } catch (error) {
    const told = { err: causeOf(error), waiting: id };
    logger.error(
      told,
      'The letters of the waiting list could not be queued: the worker will send them later',
    );
  }
}

function placesLeft(): AppError {
  return new AppError({ code: PLACES_LEFT, status: 409, message: messages.placesLeft });
}
