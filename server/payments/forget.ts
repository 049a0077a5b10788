import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { addAct } from '#server/record/acts.ts';
import { isRefundOrdered } from '#server/record/cancel-plan.ts';
import { ACTS } from '#server/record/on-record.ts';
import { isUnpaid, recognise } from '#server/record/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import {
  owedByCheck,
  owingStates,
  type RegistrationState,
  stateOf,
} from '#server/record/registration-state.ts';
import { closeUnpaid } from './close-unpaid.ts';
import type { Records } from './find-registration.ts';
import { blankRegistration, emptyCustomer } from './personal-data.ts';
import { ifThere } from './provider-errors.ts';

/** Why the personal data of a registration cannot be removed yet. */
export type KeptFor =
  /** It can still be paid. */
  | 'unpaid'
  /** She is going to attend, or something is still to be paid. */
  | 'to-come'
  /** A refund to her is due, or has not arrived yet. */
  | 'money-under-way'
  | 'disputed';

const REFUND_PENDING: readonly RegistrationState[] = [
  'second-payment',
  'cancelling',
  'cancelled',
  'refund-pending',
  'refund-failed',
];

/**
 * What prevents her data from being removed now; undefined when nothing is owed and nothing is still to
 * happen.
 */
export function keptFor(record: RegistrationRecord, now: Date): KeptFor | undefined {
  const state = stateOf(record, now);
  if (record.disputed) return 'disputed';
  const isRefundPending =
    REFUND_PENDING.includes(state) ||
    isRefundOrdered(record) ||
    owedByCheck(record) > 0 ||
    (record.deposit !== 'paid' && record.received.counting.length > 0) ||
    record.refunds.some(({ status }) => status === 'pending');
  if (isRefundPending) return 'money-under-way';
  if (now >= new Date(record.edition.facts.endsAt)) return undefined;
  if (record.deposit === 'unpaid') return 'unpaid';
  return owingStates.includes(state) || state === 'settled' ? 'to-come' : undefined;
}

/** Personal data that stays at Stripe, because this site cannot remove it. */
export interface Leftover {
  /** A cancelled payment cannot be changed; a charge and a card keep the payer's name and address. */
  what: 'cancelled-payment' | 'charge' | 'card';
  id: string;
}

/**
 * Removes a person's data from the register and from everything that this site may change at Stripe. Her cards are
 * detached, and links to her page stop working. Sums, decisions and the version of the terms are kept. The register comes
 * first, so that nothing is sent from then on. If it is interrupted, a second call finishes it.
 * @see https://docs.stripe.com/privacy/deletion-requests
 */
export async function forget(
  records: Records,
  record: RegistrationRecord,
  by: string,
  now: Date,
): Promise<void> {
  const { stripe, database, letterLog } = records;
  const { id, customerId } = record;
  const act = { id: uuidV7(), subject: id, kind: ACTS.forgotten, at: now, by };
  await database.write(async (transaction) => {
    await blankRegistration(transaction, id);
    const { numUpdatedRows: isNew } = await transaction
      .updateTable('registrations')
      .set(({ eb }) => ({ forgottenAt: now.toISOString(), linksEpoch: eb('linksEpoch', '+', 1) }))
      .where('deposit', '=', id)
      .where('forgottenAt', 'is', null)
      .executeTakeFirstOrThrow();
    if (isNew) await addAct(transaction, act);
  });
  await letterLog.forget(id, now);
  for (const intent of await paymentsOf(stripe, record)) {
    if (intent.id === id && isUnpaid(intent)) await closeUnpaid(records, id);
    else if (intent.receipt_email && intent.status !== 'canceled')
      await stripe.paymentIntents.update(intent.id, { receipt_email: '' });
  }
  // Nothing where somebody has deleted the customer.
  if (customerId !== undefined) await ifThere(emptyAccount(stripe, customerId));
}

/** Her personal data that this site cannot remove from Stripe, before or after `forget`. */
export async function findLeftovers(
  { stripe }: Pick<Records, 'stripe'>,
  record: RegistrationRecord,
): Promise<Leftover[]> {
  const { customerId: customer } = record;
  const left: Leftover[] = [];
  for (const { id, status, receipt_email: address } of await paymentsOf(stripe, record))
    if (status === 'canceled' && address) left.push({ what: 'cancelled-payment', id });
  if (customer === undefined) return left;
  for await (const { id } of stripe.charges.list({ customer, limit: 100 })) left.push({ what: 'charge', id });
  for await (const { payment_method: card } of stripe.setupIntents.list({ customer, limit: 100 }))
    if (card) left.push({ what: 'card', id: typeof card === 'string' ? card : card.id });
  return left;
}

/**
 * Deposit and balances. Every registration has a customer of its own; payments made for it by hand are not
 * touched.
 */
async function paymentsOf(
  stripe: Stripe,
  { id, customerId: customer }: RegistrationRecord,
): Promise<Stripe.PaymentIntent[]> {
  if (customer === undefined) return [await stripe.paymentIntents.retrieve(id)];
  const found: Stripe.PaymentIntent[] = [];
  for await (const intent of stripe.paymentIntents.list({ customer, limit: 100 }))
    if (recognise(intent) !== 'foreign') found.push(intent);
  return found;
}

/** Empties the customer and detaches her cards. */
async function emptyAccount(stripe: Stripe, customer: string): Promise<void> {
  await emptyCustomer(stripe, customer);
  for await (const { id } of stripe.customers.listPaymentMethods(customer, { limit: 100 }))
    await stripe.paymentMethods.detach(id);
}
