import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import { endDigest } from '#server/links/own-page-links.ts';
import { addAct, type Done, HERSELF, readActs } from '#server/record/acts.ts';
import { WITHDRAWAL } from '#server/record/decisions.ts';
import { depositOf, type OnRecord } from '#server/record/on-record.ts';
import { readReceived } from '#server/record/received.ts';
import { isDeposit, isUnpaid } from '#server/record/recognise-deposit.ts';
import { findRow } from '#server/record/registrations.ts';
import { type Records, recordPaymentsOf } from './find-registration.ts';
import { blankRegistration, customerWithContact, emptyCustomer } from './personal-data.ts';
import { CLOSED_MARK, ifStillOpen } from './provider-errors.ts';

/** Whether a deposit is still to be closed: it is unpaid, or it is cancelled and its registrant's details are still there. */
export function isToBeClosed(onRecord: OnRecord): boolean {
  const deposit = depositOf(onRecord);
  if (!deposit || deposit.asMade === 0) return false;
  const hasDetails = (onRecord.registration?.address ?? '') !== '';
  return deposit.status === 'open' || (deposit.status === 'cancelled' && hasDetails);
}

/**
 * Closes a deposit that was not paid before registration ended, so that nobody pays after that, and removes
 * her contact details. The intent is emptied first, since a cancelled one cannot be changed; the customer
 * last: should the deposit be paid in between, her details are still there, and she gets the welcome letter.
 * @returns whether it is closed
 * @see https://docs.stripe.com/api/payment_intents/cancel
 */
export async function closeUnpaid(records: Records, id: string): Promise<boolean> {
  return close(records, id, { metadata: { [CLOSED_MARK]: 'registration ended' } });
}

/**
 * Does the same because somebody pressed so in a letter, and gives her place back.
 * @param address the address to which the letter went, see `endDigest`
 * @returns `gone` where there is no such registration, or it has another address now
 */
export async function endUnpaid(
  records: Records,
  id: string,
  address: string,
  at: Date,
): Promise<'ended' | 'paid' | 'gone'> {
  const row = await records.database.read((transaction) => findRow(transaction, id));
  if (!row || (row.address !== '' && endDigest(row.address) !== address)) return 'gone';
  if (!(await close(records, id))) return 'paid';
  await records.database.write((transaction) => withdrawHold(transaction, id, { at, by: HERSELF }));
  await recordPaymentsOf(records, id);
  return 'ended';
}

async function close(
  { stripe, database }: Records,
  id: string,
  changes?: Stripe.PaymentIntentUpdateParams,
): Promise<boolean> {
  const isPaidOtherwise = await database.read((transaction) => isPaidInPart(transaction, id));
  const intent = await stripe.paymentIntents.retrieve(id, { expand: ['customer'] });
  if (isPaidOtherwise || !isDeposit(intent) || (!isUnpaid(intent) && intent.status !== 'canceled'))
    return false;
  if (isUnpaid(intent) && !(await ifStillOpen(cancelEmptied(stripe, id, changes)))) return false;
  const customer = customerWithContact(intent);
  if (customer) await emptyCustomer(stripe, customer.id);
  return database.write(async (transaction) => {
    // A check was recorded in the last moment.
    if (await isPaidInPart(transaction, id)) return false;
    await blankRegistration(transaction, id);
    return true;
  });
}

/** Whether a deposit is on record as paid, in whichever way, or something came for it by check or transfer. */
async function isPaidInPart(transaction: Transaction, id: string): Promise<boolean> {
  const row = await findRow(transaction, id);
  const { counting } = readReceived(await readActs(transaction, id));
  return (row !== undefined && row.paidAt !== null) || counting.length > 0;
}

/** Records that no place is held for her any more, if one is. */
export async function withdrawHold(transaction: Transaction, subject: string, done: Done): Promise<void> {
  const acts = await readActs(transaction, subject);
  const held = acts.findLast(({ kind }) => kind === 'held');
  if (!held || acts.some(({ undoes }) => undoes === held.id)) return;
  await addAct(transaction, { ...done, id: uuidV7(), subject, kind: WITHDRAWAL, undoes: held.id });
}

/** Cancels a payment that keeps no address: once it is cancelled, it cannot be changed. */
export async function cancelEmptied(
  stripe: Stripe,
  id: string,
  changes: Stripe.PaymentIntentUpdateParams = {},
  reason: Stripe.PaymentIntentCancelParams = {},
): Promise<Stripe.PaymentIntent> {
  await stripe.paymentIntents.update(id, { ...changes, receipt_email: '' });
  return stripe.paymentIntents.cancel(id, reason);
}

/** Cancels a payment unless it is paid or being paid. */
export async function cancelUnpaid(
  { stripe }: Pick<Records, 'stripe'>,
  id: string,
): Promise<'paid' | 'closed'> {
  const cancelled = await ifStillOpen(cancelEmptied(stripe, id));
  const { status } = cancelled ?? (await stripe.paymentIntents.retrieve(id));
  return status === 'canceled' ? 'closed' : 'paid';
}
