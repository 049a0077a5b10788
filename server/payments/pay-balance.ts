import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import { isDepositBack } from '#server/record/charge-plan.ts';
import { balanceOfRecord, canPayDeposit, depositByCardOf, isRestByCheck } from '#server/record/owed.ts';
import { isUnpaid } from '#server/record/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owingStates, stateOf } from '#server/record/registration-state.ts';
import { changeRow } from '#server/record/registrations.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { fitBalance, openBalance } from './open-balance.ts';
import { ifStillOpen } from './provider-errors.ts';
import { refused } from './refusals.ts';
import { isRestored } from './restored.ts';
import { toBeConfirmedByHer } from './stored-card.ts';

/** What her browser needs to pay the balance. */
export interface BalanceToPay {
  clientSecret: string;
  /** US cents. */
  cents: number;
  /** The card on file, if there is one. */
  paymentMethod: string | null;
}

/** How many attempts of her own may fail with one card on file: more are rarely the cardholder's. */
const MOST_FAILURES = 5;

/**
 * Opens the payment of her balance for her browser, and records that she is paying, so that the worker does not
 * charge her card at the same time.
 * @param shown the sum that her page showed, in US cents
 * @throws {AppError} when she does not owe this sum, or may not pay it here any more, or after too many
 *   declined cards
 */
export async function payBalance(
  records: Records,
  record: RegistrationRecord,
  shown: number,
  now: Date,
): Promise<BalanceToPay> {
  const { stripe } = records;
  if (await isRestored(records)) throw paymentsPaused();
  if (!canPay(record, now) || shown !== toPayByCard(record)) throw refused('changed');
  const openPayment = record.deposit === 'unpaid' ? openDeposit : openBalance;
  const open = await ifStillOpen(
    openPayment(stripe, record).then((payment) => toBeConfirmedByHer(stripe, payment)),
  );
  if (!open || !isUnpaid(open) || open.amount !== shown) throw refused('changed');
  await requireFewFailures(stripe, record, open.id);
  const { client_secret: clientSecret, amount: cents } = open;
  if (clientSecret === null) throw new Error(`${open.id} has no client secret`);
  const isPaying = { payingSince: now.toISOString() };
  await records.database.write((transaction) => changeRow(transaction, record.id, isPaying));
  await requireStillOwed(records, open, now);
  return { clientSecret, cents, paymentMethod: record.card?.id ?? null };
}

/** Until the register knows again what was decided, she might pay what she does not owe. */
function paymentsPaused(): AppError {
  const message =
    'Payments on this page are paused for a short while. Nothing was charged; please try again later.';
  return new AppError({ code: 'payments_paused', status: 503, message, retryAfterS: 600 });
}

/**
 * Reads the registration once more: a decision made before this read may not have seen the payment, and is
 * found here; a decision made after it cancels the payment.
 */
async function requireStillOwed(
  records: Records,
  { id, amount }: Stripe.PaymentIntent,
  now: Date,
): Promise<void> {
  const record = await findRegistration(records, id);
  const isOwed = record && canPay(record, now) && toPayByCard(record) === amount;
  if (isOwed && (record.id === id || (record.balance?.id === id && record.balance.status === 'open'))) return;
  await fitBalance(records, id);
  throw refused('changed');
}

/** What she pays by card on her page now, in US cents: the deposit that her place is held for, or the balance. */
function toPayByCard(record: RegistrationRecord): number {
  return record.deposit === 'unpaid' ? depositByCardOf(record) : balanceOfRecord(record).byCardCents;
}

/** The payment of a deposit that the office holds a place for, with the amount that is due now. */
async function openDeposit(stripe: Stripe, record: RegistrationRecord): Promise<Stripe.PaymentIntent> {
  const open = await stripe.paymentIntents.retrieve(record.id);
  const amount = depositByCardOf(record);
  if (!isUnpaid(open) || open.amount === amount) return open;
  return stripe.paymentIntents.update(open.id, { amount, metadata: { amount: String(amount) } });
}

/** Whether she can pay, or give another card, on her page. */
export function canPay(record: RegistrationRecord, now: Date): boolean {
  const { disputed, edition } = record;
  if (stateOf(record, now) === 'held') return canPayDeposit(record);
  const isOpen = owingStates.includes(stateOf(record, now)) && now < new Date(edition.facts.endsAt);
  return isOpen && !disputed && !isRestByCheck(record) && !isDepositBack(record);
}

/**
 * The worker's own attempts with the card on file are subtracted. Both are counted from the moment when she
 * gave that card or the office asked for a retry: the worker's steps begin there too.
 * @see https://docs.stripe.com/disputes/prevention/card-testing
 */
async function requireFewFailures(
  stripe: Stripe,
  { card, balance, decisions }: RegistrationRecord,
  balanceId: string,
): Promise<void> {
  const { data } = await stripe.charges.list({ payment_intent: balanceId, limit: 100 });
  const begins = [card?.since, decisions.charge?.at, decisions.postponed?.at, decisions.plan?.at];
  const sinceMs = Math.max(0, ...begins.map((begun) => begun?.getTime() ?? 0));
  const failed = data.filter(({ status, created }) => status === 'failed' && created * 1000 >= sinceMs);
  const decline = balance?.decline;
  const workers = decline && decline.at.getTime() >= sinceMs ? decline.step : 0;
  if (failed.length - workers >= MOST_FAILURES) throw tooManyDeclines();
}

/** Error for somebody whose cards were declined too often. */
export function tooManyDeclines(): AppError {
  const message =
    'Too many cards were declined. Nothing was charged. Please write to or call the retreat office';
  return new AppError({ code: 'too_many', status: 429, message });
}
