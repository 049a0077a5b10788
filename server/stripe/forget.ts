import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import { type Done, HERSELF, WITHDRAWAL } from '#server/registration/act-kinds.ts';
import { readActs } from '#server/registration/acts.ts';
import { linkDigest } from '#server/registration/links.ts';
import { blankRegistration } from '#server/registration/personal-data.ts';
import { readReceived } from '#server/registration/received.ts';
import { requireNotHeld } from '#server/registration/refusals.ts';
import type { RegistrationRecord, Whose } from '#server/registration/registration-record.ts';
import { findDeposit, findRow } from '#server/registration/registrations.ts';
import { addAct } from '#server/registration/write-acts.ts';
import { adoptCustomer, emptyCustomer } from './customers.ts';
import { type Records, recordChange, recordPayment } from './record-payments.ts';
import { ifStillOpen, ifThere } from './stripe-calls.ts';

/**
 * Removes a person's data from the register and from everything that this site may change at Stripe. The register comes
 * first, so that nothing is sent from then on. If it is interrupted, a second call finishes it.
 * @see https://docs.stripe.com/privacy/deletion-requests
 */
export async function forget(records: Records, { id }: Whose, by: string, now: Date): Promise<void> {
  const { stripe, database, letterLog } = records;
  const row = await database.read((transaction) => findRow(transaction, id));
  // Only while her address is on record can a lost one be found.
  const customer = row && (await adoptCustomer(records, row));
  const act = { id: uuidV7(), subject: id, kind: 'forgotten' as const, at: now, by };
  const deposit = await database.write(async (transaction) => {
    await blankRegistration(transaction, id);
    const { numUpdatedRows: isNew } = await transaction
      .updateTable('registrations')
      .set(({ eb }) => ({ forgottenAt: now, linksEpoch: eb('linksEpoch', '+', 1) }))
      .where('id', '=', id)
      .where('forgottenAt', 'is', null)
      .executeTakeFirstOrThrow();
    if (isNew) await addAct(transaction, act);
    return findDeposit(transaction, id);
  });
  await letterLog.forget(id, now);
  if (deposit?.status === 'paid') await stripe.paymentIntents.update(deposit.id, { receipt_email: '' });
  else await cancelUnpaid(records, id);
  // Nothing where somebody has deleted the customer.
  if (customer !== undefined) await ifThere(emptyAccount(stripe, customer));
}

async function emptyAccount(stripe: Stripe, customer: string): Promise<void> {
  await emptyCustomer(stripe, customer);
  for await (const { id } of stripe.customers.listPaymentMethods(customer, { limit: 100 }))
    await stripe.paymentMethods.detach(id);
}

/** Its deposit can be paid, or its details are still there although it cannot. */
export function isToBeClosed({ depositPayment, registrant }: RegistrationRecord): boolean {
  if (depositPayment?.status === 'open') return true;
  const isUnpayable = !depositPayment || depositPayment.status === 'cancelled';
  return isUnpayable && registrant.email !== '';
}

/**
 * Closes a registration whose deposit is not paid, so that nobody pays after that, and removes her contact details. Her
 * customer and the register come last: should the deposit be paid in between, her details are still there, and she gets the
 * welcome letter.
 * @param ended by whom it is ended before its time, so that her place is free
 * @returns whether it is closed: not if something has come for it
 */
export async function closeUnpaid(records: Records, id: string, ended?: Done): Promise<boolean> {
  const { stripe, database } = records;
  const { row, isPaid } = await database.read(async (transaction) => {
    await requireNotHeld(transaction);
    return { row: await findRow(transaction, id), isPaid: await isPaidInPart(transaction, id) };
  });
  if (!row || isPaid || (await cancelUnpaid(records, id)) === 'paid') return false;
  const customer = await adoptCustomer(records, row);
  if (customer !== undefined) await ifThere(emptyCustomer(stripe, customer));
  const act = ended && { ...ended, id: uuidV7() };
  return database.write(async (transaction) => {
    // A check was recorded in the last moment.
    if (await isPaidInPart(transaction, id)) return false;
    if (act) await withdrawHold(transaction, id, act);
    await blankRegistration(transaction, id);
    return true;
  });
}

/**
 * Does the same because somebody pressed so in a letter.
 * @param address the address to which the letter went, see `linkDigest`
 * @returns `gone` where there is no such registration, or it has another address now
 */
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

async function isPaidInPart(transaction: Transaction, id: string): Promise<boolean> {
  const { counting } = readReceived(await readActs(transaction, id));
  return counting.length > 0 || (await findRow(transaction, id))?.paidAt instanceof Date;
}

async function withdrawHold(
  transaction: Transaction,
  subject: string,
  done: Done & { id: string },
): Promise<void> {
  const acts = await readActs(transaction, subject);
  const held = acts.findLast(({ kind }) => kind === 'held');
  if (!held || acts.some(({ undoes }) => undoes === held.id)) return;
  await addAct(transaction, { ...done, subject, kind: WITHDRAWAL, undoes: held.id });
}

/** Cancels a payment that keeps no address: once it is cancelled, it cannot be changed. */
export async function cancelEmptied(
  records: Records,
  id: string,
  cancellation_reason?: Stripe.PaymentIntentCancelParams.CancellationReason,
): Promise<Stripe.PaymentIntent> {
  await records.stripe.paymentIntents.update(id, { receipt_email: '' });
  const reason = cancellation_reason && { cancellation_reason };
  return recordChange(records, ({ paymentIntents }) => paymentIntents.cancel(id, reason));
}

/** Cancels the payment of a registration's deposit unless it is paid or being paid, which is recorded. */
export async function cancelUnpaid(records: Records, registration: string): Promise<'paid' | 'closed'> {
  const payment = await records.database.read((transaction) => findDeposit(transaction, registration));
  if (!payment || payment.status === 'cancelled') return 'closed';
  const cancelled = await ifStillOpen(cancelEmptied(records, payment.id));
  const now = cancelled ?? (await recordPayment(records, payment.id));
  return now?.status === 'canceled' ? 'closed' : 'paid';
}
