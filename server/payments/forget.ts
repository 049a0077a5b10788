import type Stripe from 'stripe';
import { isRefundOrdered } from './cancel-plan.ts';
import { closeUnpaid } from './close-unpaid.ts';
import { formatDecision } from './decisions.ts';
import { LINKS_MARK } from './deposit-letters.ts';
import type { Records } from './find-registration.ts';
import { emptyCustomer, isPersonal, NO_TRACES } from './personal-data.ts';
import { isMissing } from './provider-errors.ts';
import { isUnpaid, RECORD_MARKS, recognise } from './recognise-deposit.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { owedByCheck, owingStates, type RegistrationState, stateOf } from './registration-state.ts';

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
 * Removes a person's data from everything that this site may change at Stripe: deposit, balances, charges and
 * customer. Her cards are detached, and links to her page stop working. Sums, decisions and the version of
 * the terms are kept. The removal, its time and its author are recorded first. If it is interrupted, a second
 * call finishes it.
 * @see https://docs.stripe.com/privacy/deletion-requests
 */
export async function forget(
  { stripe, letterLog }: Records,
  record: RegistrationRecord,
  by: string,
  now: Date,
): Promise<void> {
  const { customerId } = record;
  const mark = { [RECORD_MARKS.forgotten]: `${now.toISOString()} ${by}` };
  for (const intent of await paymentsOf(stripe, record)) await empty(stripe, intent, record, mark);
  await letterLog.forget(record.id, now);
  if (customerId === undefined) return;
  for await (const { id, metadata } of stripe.charges.list({ customer: customerId, limit: 100 }))
    if (isPersonal(metadata)) await stripe.charges.update(id, { metadata: NO_TRACES });
  await emptyAccount(stripe, customerId, record.forgottenAt ? {} : mark);
}

/** Her personal data that this site cannot remove from Stripe, before or after `forget`. */
export async function findLeftovers(stripe: Stripe, record: RegistrationRecord): Promise<Leftover[]> {
  const { customerId: customer } = record;
  const left: Leftover[] = [];
  for (const { id, status, metadata } of await paymentsOf(stripe, record))
    if (status === 'canceled' && isPersonal(metadata)) left.push({ what: 'cancelled-payment', id });
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

async function empty(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
  { id, decisions, linksEpoch }: RegistrationRecord,
  mark: Stripe.MetadataParam,
): Promise<void> {
  const isDeposit = intent.id === id;
  if (isDeposit && isUnpaid(intent)) {
    await closeUnpaid(stripe, id);
    return;
  }
  if (intent.status === 'canceled') return;
  const isNew = isDeposit && intent.metadata[RECORD_MARKS.forgotten] === undefined;
  const { refund } = decisions;
  const changes = {
    ...(isPersonal(intent.metadata) && NO_TRACES),
    ...(isNew && { ...mark, [LINKS_MARK]: String(linksEpoch + 1) }),
    // The office's reason is free text, and may hold personal data.
    ...(isNew && refund && { refund: formatDecision({ ...refund, reason: 'forgotten' }) }),
  };
  if (Object.keys(changes).length > 0) await stripe.paymentIntents.update(intent.id, { metadata: changes });
  if (intent.receipt_email) await stripe.paymentIntents.update(intent.id, { receipt_email: '' });
}

/**
 * Empties the customer and detaches her cards. A cancelled deposit cannot hold the mark, so the customer has
 * it too.
 */
async function emptyAccount(stripe: Stripe, customer: string, mark: Stripe.MetadataParam): Promise<void> {
  try {
    await emptyCustomer(stripe, customer);
    if (Object.keys(mark).length > 0) await stripe.customers.update(customer, { metadata: mark });
    for await (const { id } of stripe.customers.listPaymentMethods(customer, { limit: 100 }))
      await stripe.paymentMethods.detach(id);
  } catch (error) {
    // Somebody has deleted the customer.
    if (!isMissing(error)) throw error;
  }
}
