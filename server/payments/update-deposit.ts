import { bringUpToDate } from './create-deposit.ts';
import { type DepositPayment, paymentOf } from './deposit.ts';
import type { Records } from './find-registration.ts';
import { ownDeposit } from './own-deposit.ts';
import { notYours } from './provider-errors.ts';
import { isFor, isUnpaid } from './recognise-deposit.ts';
import { type Deposit, findRow } from './registrations.ts';
import { retrieveIntent } from './retrieve-intent.ts';

/**
 * Updates the registration whose deposit a client secret proves to be the caller's: contact details, price and package.
 * One that is paid, or being paid, stays as it is.
 * @param onProven is called once the secret is verified, with the registration if it is still to be paid, and awaited
 *   before anything is written
 * @throws {AppError} when the secret opens no deposit of this site, one that was closed, or one that was paid for another
 *   address
 */
export async function updateDeposit(
  records: Records,
  deposit: Deposit,
  clientSecret: string,
  onProven: (registration?: string) => Promise<void>,
): Promise<DepositPayment> {
  const { intent, row } = await ownDeposit(records, clientSecret);
  if (!isFor(intent, deposit.facts)) throw notYours();
  await onProven(isUnpaid(intent) ? row.id : undefined);
  return paymentOf(records, await bringUpToDate(records, row, intent, deposit));
}

/** The same for a deposit that is known to be the caller's, unless it is paid, being paid or cancelled. */
export async function continueDeposit(
  records: Records,
  id: string,
  deposit: Deposit,
): Promise<DepositPayment | 'paid' | 'closed'> {
  const [intent, row] = await Promise.all([
    retrieveIntent(records.stripe, id),
    records.database.read((transaction) => findRow(transaction, id)),
  ]);
  if (!intent || !row || intent.status === 'canceled') return 'closed';
  if (!isUnpaid(intent)) return 'paid';
  return paymentOf(records, await bringUpToDate(records, row, intent, deposit));
}
