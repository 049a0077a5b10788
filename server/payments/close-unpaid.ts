import type Stripe from 'stripe';
import { endDigest } from '#server/links/own-page-links.ts';
import { depositOf, type OnRecord } from '#server/record/on-record.ts';
import { isDeposit, isUnpaid } from '#server/record/recognise-deposit.ts';
import { findRow } from '#server/record/registrations.ts';
import { type Records, recordPaymentsOf } from './find-registration.ts';
import { blankRegistration, customerWithContact, emptyCustomer } from './personal-data.ts';
import { CLOSED_MARK, isUnexpectedState } from './provider-errors.ts';

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
): Promise<'ended' | 'paid' | 'gone'> {
  const row = await records.database.read((transaction) => findRow(transaction, id));
  if (!row || (row.address !== '' && endDigest(row.address) !== address)) return 'gone';
  if (!(await close(records, id))) return 'paid';
  await recordPaymentsOf(records, id);
  return 'ended';
}

async function close(
  { stripe, database }: Records,
  id: string,
  changes?: Stripe.PaymentIntentUpdateParams,
): Promise<boolean> {
  const intent = await stripe.paymentIntents.retrieve(id, { expand: ['customer'] });
  if (!isDeposit(intent) || (!isUnpaid(intent) && intent.status !== 'canceled')) return false;
  if (isUnpaid(intent) && !(await cancel(stripe, id, changes))) return false;
  const customer = customerWithContact(intent);
  if (customer) await emptyCustomer(stripe, customer.id);
  await database.write((transaction) => blankRegistration(transaction, id));
  return true;
}

async function cancel(
  stripe: Stripe,
  id: string,
  changes?: Stripe.PaymentIntentUpdateParams,
): Promise<boolean> {
  try {
    await cancelEmptied(stripe, id, changes);
    return true;
  } catch (error) {
    // Paid, or cancelled by somebody else.
    if (isUnexpectedState(error)) return false;
    throw error;
  }
}

/** Cancels a payment that keeps no address: once it is cancelled, it cannot be changed. */
export async function cancelEmptied(
  stripe: Stripe,
  id: string,
  changes: Stripe.PaymentIntentUpdateParams = {},
  reason: Stripe.PaymentIntentCancelParams = {},
): Promise<void> {
  await stripe.paymentIntents.update(id, { ...changes, receipt_email: '' });
  await stripe.paymentIntents.cancel(id, reason);
}

/** Cancels a payment unless it is paid or being paid. */
export async function cancelUnpaid(
  { stripe }: Pick<Records, 'stripe'>,
  id: string,
): Promise<'paid' | 'closed'> {
  try {
    await cancelEmptied(stripe, id);
    return 'closed';
  } catch (error) {
    if (!isUnexpectedState(error)) throw error;
    const { status } = await stripe.paymentIntents.retrieve(id);
    return status === 'canceled' ? 'closed' : 'paid';
  }
}
