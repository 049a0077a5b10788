import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import { messages } from '#shared/registration.ts';
import { createDeposit } from './create-deposit.ts';
import type { Deposit, DepositPayment, RegistrationKey } from './deposit.ts';
import { customersAt } from './earlier-registrations.ts';
import { isUnexpectedState } from './provider-errors.ts';
import { isUnpaid } from './recognise-deposit.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { bringUpToDate } from './update-deposit.ts';
import { findWaiting } from './waiting-letters.ts';
import { readWaiting, WAITING_MARKS, type WaitingRecord, waitingStateOf } from './waiting-record.ts';

/** A deposit of a registrant who takes up an offer. */
export interface OfferedDeposit extends Deposit {
  /** The customer of the waiting-list entry to which the place was offered. */
  offer: string;
  /** The end of the offer according to the link: an offer with another end is a different one. */
  until: Date;
  /** The same key for the same offer, in whichever browser it is taken up. */
  key: RegistrationKey;
}

/**
 * Makes the deposit of an offer. It is recorded with the entry before anybody gets its client secret, and its
 * key belongs to the offer: so anyone else who opens the link, in another tab or on another device, continues
 * with the same payment, which succeeds once.
 * @throws {AppError} when the offer was taken up and paid, has ended, or was taken back
 */
export async function registerByOffer(
  stripe: Stripe,
  { key, until, ...deposit }: OfferedDeposit,
  at: Date,
): Promise<DepositPayment> {
  const record = await findWaiting(stripe, deposit.offer);
  if (!record || record.edition.facts.id !== deposit.facts.id || !isSameOffer(record, until))
    throw offerOver();
  const begun = record.deposit === undefined ? undefined : await retrieveIntent(stripe, record.deposit);
  const isPaid = begun?.status === 'succeeded' || begun?.status === 'processing';
  if (isPaid || waitingStateOf(record, at) === 'took') throw offerUsed();
  if (waitingStateOf(record, at) !== 'offered') throw offerOver();
  if (begun && isUnpaid(begun)) {
    return bringUpToDate(stripe, begun, deposit, await customersAt(stripe, deposit.contact.email));
  }
  // A closed payment, such as after too many declined cards, keeps its key: the next one needs another.
  const value = begun ? `${key.value}-after-${begun.id}` : key.value;
  const payment = await createDeposit(stripe, { ...deposit, key: { value } });
  const metadata = { [WAITING_MARKS.deposit]: payment.id };
  const now = readWaiting(await stripe.customers.update(record.id, { metadata }));
  if (!now || !isSameOffer(now, until)) {
    // The offer was withdrawn meanwhile, which closes only a payment that was recorded before.
    await cancelUnpaid(stripe, payment);
    throw offerOver();
  }
  return payment;
}

/** Cancels a payment unless it is paid or being paid: a registrant who has paid keeps her place. */
export async function cancelUnpaid(stripe: Stripe, { id }: { id: string }): Promise<void> {
  await stripe.paymentIntents.cancel(id).catch((error: unknown) => {
    if (!isUnexpectedState(error)) throw error;
  });
}

/** Whether an entry has the offer that a link names: to the second, as links have it. */
export function isSameOffer({ offer }: WaitingRecord, until: Date): boolean {
  return (
    offer !== undefined && Math.floor(offer.until.getTime() / 1000) === Math.floor(until.getTime() / 1000)
  );
}

const USED = 'offer_used';
const OVER = 'offer_over';

/** Whether a registration was refused because its offer cannot be taken up, now or ever. */
export function isOfferGone(error: unknown): boolean {
  return error instanceof AppError && (error.code === USED || error.code === OVER);
}

function offerUsed(): AppError {
  return new AppError({ code: USED, status: 409, message: messages.offerUsed });
}

function offerOver(): AppError {
  return new AppError({ code: OVER, status: 409, message: messages.offerOver });
}
