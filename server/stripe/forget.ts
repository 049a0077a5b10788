import type Stripe from 'stripe';
import {
  blankUnpaid,
  type Done,
  findDeposit,
  findRow,
  forgetPerson,
  HERSELF,
  isPaidInPart,
  linkDigest,
  type RegistrationRecord,
  requireNotHeld,
  type Whose,
} from '#server/registration/registration.ts';
import { isSession } from './checkout.ts';
import { adoptCustomer } from './customers.ts';
import { type Records, recordChange, recordPayment } from './record-payments.ts';
import { ifStillOpen, ifThere, unlessRefused } from './stripe-calls.ts';

/** The register comes first, so that nothing is sent from then on. A second call finishes what was interrupted. */
export async function forget(records: Records, { id }: Whose, by: string, now: Date): Promise<void> {
  const { database, letterLog } = records;
  const row = await database.read((transaction) => findRow(transaction, id));
  // Only while her address is on record can a lost one be found.
  const customer = row && (await adoptCustomer(records, row));
  await forgetPerson(records, id, { at: now, by });
  await letterLog.forget(id, now);
  // One that is paid stays so, without the address of its receipt.
  await cancelUnpaid(records, id);
  await emptyAccount(records, customer, row?.atStripe);
}

/** Nothing of a customer whom somebody has deleted. Nobody gives a card to it any more. */
async function emptyAccount(
  { stripe }: Records,
  customer: string | undefined,
  atStripe: string | null | undefined,
): Promise<void> {
  if (isSession(atStripe)) await unlessRefused(stripe.checkout.sessions.expire(atStripe));
  if (customer === undefined) return;
  const emptied = { name: '', email: '', phone: '', address: '' } as const;
  if (!(await ifThere(stripe.customers.update(customer, emptied)))) return;
  for await (const { id } of stripe.customers.listPaymentMethods(customer, { limit: 100 }))
    await stripe.paymentMethods.detach(id);
}

export function isToBeClosed({ depositPayment, registrant }: RegistrationRecord): boolean {
  if (depositPayment?.status === 'open') return true;
  const isUnpayable = !depositPayment || depositPayment.status === 'cancelled';
  return isUnpayable && registrant.email !== '';
}

/**
 * Closes a registration that is not paid, and removes its details. Customer and register come last: should the deposit be paid
 * in between, her details are still there for the welcome letter.
 * @returns whether it is closed: not if something has come for it
 */
export async function closeUnpaid(records: Records, id: string, ended?: Done): Promise<boolean> {
  const { row, isPaid } = await records.database.read(async (transaction) => {
    await requireNotHeld(transaction);
    return { row: await findRow(transaction, id), isPaid: await isPaidInPart(transaction, id) };
  });
  if (!row || isPaid || (await cancelUnpaid(records, id)) === 'paid') return false;
  await emptyAccount(records, await adoptCustomer(records, row), row.atStripe);
  // A check may have been recorded in the last moment.
  return blankUnpaid(records, id, ended);
}

/** @param address to which the letter went whose link was pressed, see `linkDigest` */
export async function endUnpaid(
  records: Records,
  id: string,
  address: string,
  at: Date,
): Promise<'ended' | 'paid' | 'gone'> {
  const row = await records.database.read((transaction) => findRow(transaction, id));
  if (!row || (row.address !== '' && linkDigest(row.address) !== address)) return 'gone';
  return (await closeUnpaid(records, id, { at, by: HERSELF })) ? 'ended' : 'paid';
}

/** Once it is cancelled, its address cannot be removed. */
export async function cancelEmptied(
  records: Records,
  id: string,
  cancellation_reason?: Stripe.PaymentIntentCancelParams.CancellationReason,
): Promise<Stripe.PaymentIntent> {
  await records.stripe.paymentIntents.update(id, { receipt_email: '' });
  const reason = cancellation_reason && { cancellation_reason };
  return recordChange(records, ({ paymentIntents }) => paymentIntents.cancel(id, reason));
}

export async function cancelUnpaid(records: Records, registration: string): Promise<'paid' | 'closed'> {
  const payment = await records.database.read((transaction) => findDeposit(transaction, registration));
  if (!payment || payment.status === 'cancelled') return 'closed';
  const cancelled = await ifStillOpen(cancelEmptied(records, payment.id));
  const now = cancelled ?? (await recordPayment(records, payment.id));
  return now?.status === 'canceled' ? 'closed' : 'paid';
}
