import type Stripe from 'stripe';
import { isRestByCheck, nextInstallment, owes } from '#server/registration/balance.ts';
import { canPayDeposit, depositByCardOf, isDepositBack } from '#server/registration/deposit.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { refused, requireNotHeld, tooManyDeclines } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { stateOf } from '#server/registration/registration-state.ts';
import { changeRow } from '#server/registration/registrations.ts';
import { fitPayments, openBalance, openPayments } from './balance.ts';
import { depositOfHeld } from './deposit.ts';
import { isUnpaid } from './payment-at-stripe.ts';
import { type Records, recordChange, recordPayment } from './record-payments.ts';
import { ifStillOpen } from './stripe-calls.ts';

interface BalanceToPay {
  clientSecret: string;
  /** US cents. */
  cents: number;
  paymentMethod: string | null;
}

/** Of her own attempts with one card on file. */
const MOST_FAILURES = 5;

/**
 * Opens the payment for her browser, and records that she is paying, so that the worker does not charge her
 * card at the same time.
 * @param shown the sum that her page showed, in US cents
 * @throws {AppError} when she does not owe this sum, or may not pay it here, or after too many declined cards
 */
export async function payBalance(
  records: Records,
  record: RegistrationRecord,
  shown: number,
  now: Date,
): Promise<BalanceToPay> {
  await records.database.read(requireNotHeld);
  if (!canPay(record, now) || shown !== toPayByCard(record)) throw refused('changed');
  const opening = record.deposit === 'unpaid' ? openDeposit : openBalance;
  const open = await ifStillOpen(opening(records, record, now));
  if (!open || !isUnpaid(open) || open.amount !== shown) throw refused('changed');
  await requireFewFailures(records.stripe, record, open.id);
  const { client_secret: clientSecret, amount: cents } = open;
  if (clientSecret === null) throw new Error(`${open.id} has no client secret`);
  await records.database.write(async (transaction) => {
    await requireNotHeld(transaction);
    await changeRow(transaction, record.id, { payingBegunAt: now });
  });
  await requireStillOwed(records, record.id, open, now);
  return { clientSecret, cents, paymentMethod: record.card?.id ?? null };
}

/**
 * Reads the registration once more: a decision made before this read may not have seen the payment, and is found here; a
 * decision made after it cancels the payment.
 */
async function requireStillOwed(
  records: Records,
  registration: string,
  { id, amount }: Stripe.PaymentIntent,
  now: Date,
): Promise<void> {
  const record = await findRegistration(records, registration);
  const isOwed = record && canPay(record, now) && toPayByCard(record) === amount;
  const open = record && [record.depositPayment, ...record.balances].find((payment) => payment?.id === id);
  if (isOwed && open?.status === 'open') return;
  await fitPayments(records, registration, now);
  throw refused('changed');
}

/** What she pays by card on her page now, in US cents: the deposit that her place is held for, or the balance. */
function toPayByCard(record: RegistrationRecord): number {
  return record.deposit === 'unpaid' ? depositByCardOf(record) : nextInstallment(record).left.byCardCents;
}

/** The payment of a deposit that the office holds a place for, with the amount that is due now. */
async function openDeposit(
  records: Records,
  record: RegistrationRecord,
  now: Date,
): Promise<Stripe.PaymentIntent> {
  const { depositPayment } = record;
  const open = depositPayment
    ? await recordPayment(records, depositPayment.id)
    : await depositOfHeld(records, record, now);
  if (!open) throw new Error(`${depositPayment?.id} is gone at Stripe`);
  const amount = depositByCardOf(record);
  if (!isUnpaid(open) || open.amount === amount) return open;
  const changes = { amount, metadata: { amount: String(amount) } };
  return recordChange(records, ({ paymentIntents }) => paymentIntents.update(open.id, changes));
}

/**
 * Records what has become of the payments that she may have confirmed on her page.
 * @returns the registration after that
 */
export async function recordReturn(
  records: Records,
  record: RegistrationRecord,
): Promise<RegistrationRecord> {
  const { depositPayment } = record;
  const open = new Set(openPayments(record));
  if (depositPayment?.status === 'open') open.add(depositPayment.id);
  for (const id of open) await recordPayment(records, id);
  return (await findRegistration(records, record.id)) ?? record;
}

/** Whether she can pay, or give another card, on her page. */
export function canPay(record: RegistrationRecord, now: Date): boolean {
  const { disputed, edition } = record;
  if (record.isProcessing) return false;
  if (stateOf(record, now) === 'held') return canPayDeposit(record);
  const isOpen = owes(record) && now < new Date(edition.facts.endsAt);
  return isOpen && !disputed && !isRestByCheck(record) && !isDepositBack(record);
}

/**
 * The worker's own attempts with the card on file are subtracted. Both are counted from the moment when she
 * gave that card or the office asked for a retry: the worker's steps begin there too.
 * @see https://docs.stripe.com/disputes/prevention/card-testing
 */
async function requireFewFailures(
  stripe: Stripe,
  record: RegistrationRecord,
  payment: string,
): Promise<void> {
  const { card, decisions } = record;
  const { data } = await stripe.charges.list({ payment_intent: payment, limit: 100 });
  const begins = [card?.since, decisions.charge?.at, decisions.postponed?.at, decisions.plan?.at];
  const sinceMs = Math.max(0, ...begins.map((begun) => begun?.getTime() ?? 0));
  const failed = data.filter(({ status, created }) => status === 'failed' && created * 1000 >= sinceMs);
  const { decline } = nextInstallment(record);
  const workers = decline && decline.at.getTime() >= sinceMs ? decline.step : 0;
  if (failed.length - workers >= MOST_FAILURES) throw tooManyDeclines();
}
