import type Stripe from 'stripe';
import {
  type CardOnFile,
  canPayDeposit,
  depositByCardOf,
  isDepositBack,
  isRestByCheck,
  isTryUnderWay,
  nextInstallment,
  owes,
  type Refusal,
  type RegistrationRecord,
  readRegistration,
  reasonOfDecline,
  refused,
  requireNotHeld,
  stateOf,
  tooManyDeclines,
} from '#server/registration/registration.ts';
import type { DeclineReason } from '#shared/own-page.ts';
import { fitPayments, openBalance, setAmount } from './balance.ts';
import { refusalOf } from './cards.ts';
import { endCheckout, noteAtStripe } from './checkout.ts';
import { depositOfHeld } from './deposit.ts';
import { isUnpaid, registrationOf } from './payment-at-stripe.ts';
import { type Records, recordPayment } from './record-payments.ts';
import { idOf, ifStillOpen } from './stripe-calls.ts';

export type Paying =
  | { outcome: 'paid' | 'processing' | 'changed' }
  /** Her bank wants her, on its own page, which the payment names. */
  | { outcome: 'bank'; payment: string; url: string }
  | { outcome: 'declined'; reason: DeclineReason }
  /** There was no answer: it may be paid, and is never paid twice. */
  | { outcome: 'unknown'; cause?: unknown };

interface Shown {
  /** US cents. */
  cents: number;
  card: Pick<CardOnFile, 'brand' | 'last4'>;
  returnUrl: string;
}

const MOST_FAILURES = 5;

/**
 * Pays with the card on file what she owes; her bank may ask her. That she pays is on record before, so that the worker does
 * not charge her at the same time; should both, a payment succeeds once.
 */
export async function pay(
  records: Records,
  record: RegistrationRecord,
  shown: Shown,
  now: Date,
): Promise<Paying> {
  await records.database.read(requireNotHeld);
  const card = cardAsShown(record, shown, now);
  if (!card || (await endCheckout(records, record))) throw refused('changed');
  const opening = record.deposit === 'unpaid' ? openDeposit : openBalance;
  const open = await ifStillOpen(opening(records, record, now));
  if (!open || !isUnpaid(open) || open.amount !== shown.cents) throw refused('changed');
  const isThere = record.atStripe?.id === open.id && now < record.atStripe.until;
  const isAsked = isThere && bankPageOf(open) !== undefined && idOf(open.payment_method) === card.id;
  if (!isAsked) await requireFewFailures(records.stripe, record, open.id);
  await begin(records, record.id, open.id, shown, now);
  // A second confirmation would have her bank begin anew.
  return isAsked ? readPaying(open) : confirm(records, record, open.id, card.id, shown.returnUrl, now);
}

/** The card on file, if she can pay this sum with it now; a try of the worker is awaited. */
function cardAsShown(record: RegistrationRecord, { cents, card }: Shown, now: Date): CardOnFile | undefined {
  const isOwed = canPay(record, now) && cents === toPayByCard(record);
  if (!isOwed || (owes(record) && isTryUnderWay(nextInstallment(record)))) return undefined;
  const isShown = record.card?.brand === card.brand && record.card.last4 === card.last4;
  return isShown ? record.card : undefined;
}

/** A decision recorded before it is found here; one made after it cancels the payment. */
async function begin(
  records: Records,
  registration: string,
  payment: string,
  shown: Shown,
  now: Date,
): Promise<void> {
  const isBegun = await records.database.write(async (transaction) => {
    await requireNotHeld(transaction);
    const record = await readRegistration(transaction, registration);
    const all = record && [record.depositPayment, ...record.balances];
    const isOpen = all?.some((one) => one?.id === payment && one.status === 'open');
    if (!record || !isOpen || !cardAsShown(record, shown, now)) return false;
    await noteAtStripe(transaction, registration, payment, now);
    return true;
  });
  if (isBegun) return;
  await fitPayments(records, registration, now);
  throw refused('changed');
}

async function confirm(
  records: Records,
  record: RegistrationRecord,
  payment: string,
  payment_method: string,
  return_url: string,
  now: Date,
): Promise<Paying> {
  const confirming = records.stripe.paymentIntents.confirm(payment, { payment_method, return_url });
  const error: unknown = await confirming.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const after = await recordPayment(records, payment).catch(() => undefined);
  if (after?.status === 'succeeded') return { outcome: 'paid' };
  const refusal = error && (await refusalOf(records, record, payment_method, error, now));
  if (refusal) return declined(refusal);
  const came = after && readPaying(after);
  // An earlier decline says nothing about a confirmation that has no answer.
  return came && !(error && came.outcome === 'declined') ? came : { outcome: 'unknown', cause: error };
}

const declined = ({ code, decline_code }: Refusal): Paying => ({
  outcome: 'declined',
  reason: reasonOfDecline(decline_code || code || 'card_declined'),
});

function readPaying(intent: Stripe.PaymentIntent): Paying {
  const { id: payment, status, last_payment_error: error } = intent;
  const url = bankPageOf(intent);
  if (url !== undefined) return { outcome: 'bank', payment, url };
  if (status === 'succeeded') return { outcome: 'paid' };
  if (status === 'processing') return { outcome: 'processing' };
  if (status === 'canceled') return { outcome: 'changed' };
  return error ? declined(error) : { outcome: 'unknown' };
}

/** Where her bank asks her. https://docs.stripe.com/payments/3d-secure/authentication-flow#manual-redirect */
function bankPageOf({ status, next_action: action }: Stripe.PaymentIntent): string | undefined {
  return (status === 'requires_action' && action?.redirect_to_url?.url) || undefined;
}

export async function lookAtPayment(
  records: Records,
  { id }: Pick<RegistrationRecord, 'id'>,
  payment: string,
): Promise<Paying | undefined> {
  const intent = await recordPayment(records, payment);
  return intent && registrationOf(intent) === id ? readPaying(intent) : undefined;
}

/** US cents: the deposit that her place is held for, or the balance. */
export function toPayByCard(record: RegistrationRecord): number {
  return record.deposit === 'unpaid' ? depositByCardOf(record) : nextInstallment(record).left.byCardCents;
}

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
  return setAmount(records, open, { amount, metadata: { amount } });
}

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
