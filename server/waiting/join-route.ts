import type { IRouter, RequestHandler } from 'express';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { PlacesShown } from '#server/register/places.ts';
import { waitingLettersDue } from '#server/register/waiting-letters.ts';
import type { WaitingList } from '#server/register/waiting-list.ts';
import { keysOfDetails } from '#server/registration/key-of-details.ts';
import { beforeForm, readForm } from '#server/registration/read-form.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { Logger } from '#server/service/logger.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { messages } from '#shared/registration.ts';
import {
  JOIN_WAITING_PATH,
  type JoinWaitingResponse,
  joinWaitingRequestSchema,
  PLACES_LEFT,
} from '#shared/waiting.ts';

export interface JoinRouteDependencies {
  waitingList: Pick<WaitingList, 'join' | 'find'>;
  placesShown: Pick<PlacesShown, 'isFull'>;
  limits: Pick<RegistrationLimits, 'admitNew' | 'countRequest'>;
  mailQueue: Pick<MailQueue, 'add' | 'isReady'>;
  logger: Logger;
  now: () => Date;
  publicUrl: string;
  /** Known to this site alone; keys are derived from it. */
  secret: string;
  /** Lets requests pass while registration is open. */
  requireOpen: RequestHandler;
}

/**
 * `POST /joinWaitingList`: JSON in, JSON out. It counts for the same limits as registrations, and is refused while there
 * are places. For an address that is on the list already, or has a place, it does the same: only the letter to it says
 * so, which is queued after the answer, because that takes longer for a new address.
 */
export function addJoinRoute(app: IRouter, dependencies: JoinRouteDependencies): void {
  const { waitingList, placesShown, limits, mailQueue, publicUrl, secret, requireOpen, now } = dependencies;
  const keyOf = keysOfDetails(secret, now);
  const join: RequestHandler = async (req, res) => {
    const { form, key } = await readForm(joinWaitingRequestSchema, req, limits);
    const { timeZone, ...contact } = form;
    const address = visitorAddress(req);
    const details = { ...contact, package: JOIN_WAITING_PATH, somebodyElse: false };
    const proof = key ?? keyOf(details, address).value;
    if (!placesShown.isFull()) throw placesLeft();
    await limits.admitNew({ address, email: contact.email, proof }, 'joins');
    const id = await waitingList.join({ contact, timeZone, facts });
    const answer: JoinWaitingResponse = { confirmationMail: mailQueue.isReady() ? 'queued' : 'later' };
    res.json(answer);
    await queueLetters(id, dependencies);
  };
  app.post(JOIN_WAITING_PATH, ...beforeForm(publicUrl, limits), requireOpen, join);
}

/** Queues the letters that an entry owes. */
async function queueLetters(
  id: string,
  { waitingList, mailQueue, logger, now }: JoinRouteDependencies,
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
