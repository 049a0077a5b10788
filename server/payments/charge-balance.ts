import Stripe from 'stripe';
import { BALANCE_MARKS, type BalanceDecline, type BalancePayment } from './balance-payment.ts';
import type { CardOnFile } from './card-on-file.ts';
import { type ChargeStop, chargeStop } from './charge-plan.ts';
import { declineOf, type Refusal } from './declines.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { readOnRecord } from './on-record.ts';
import { openBalance } from './open-balance.ts';
import { withPayments } from './payment-on-record.ts';
import { isKeyInUse, isUnexpectedState } from './provider-errors.ts';
import { readPayments } from './record-payments.ts';
import {
  balanceOfRecord,
  RECORD_EXPANSION,
  type RegistrationRecord,
  readRecord,
} from './registration-record.ts';
import { newRoundAt } from './registration-state.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { writeOnce } from './write-once.ts';

/** The result of charging a balance off-session. */
export type ChargeOutcome =
  | { type: 'charged'; cents: number }
  | { type: 'declined'; decline: BalanceDecline }
  /**
   * Nothing was tried. `elsewhere`: another process is trying it, or it was paid, cancelled or changed
   * meanwhile.
   */
  | { type: 'stopped'; why: ChargeStop | 'elsewhere' };

/**
 * Charges the balance of a registration to the card on file, off-session, if it is due. However often this is
 * called, by however many processes, and wherever it is interrupted: there is one open payment of a balance,
 * and it succeeds once. A try is recorded before it is made, so that a try whose result is unknown is resumed
 * under its own number. A decline is not an error; a failure of Stripe is an error, and does not count as a
 * try.
 * @throws {Stripe.errors.StripeError} when Stripe fails or cannot be reached
 * @see https://docs.stripe.com/payments/save-and-reuse
 */
export async function chargeBalance(records: Records, depositId: string, now: Date): Promise<ChargeOutcome> {
  try {
    const record = await findRegistration(records, depositId);
    const why = record ? chargeStop(record, now) : 'not-due';
    if (!record || why) return { type: 'stopped', why: why ?? 'not-due' };
    return await tryToCharge(records, record, now);
  } catch (error) {
    if (isKeyInUse(error) || isUnexpectedState(error)) return { type: 'stopped', why: 'elsewhere' };
    throw error;
  }
}

async function tryToCharge(records: Records, before: RegistrationRecord, now: Date): Promise<ChargeOutcome> {
  const { stripe } = records;
  const open = await openBalance(stripe, before);
  const number = numberOfTry(before.balance);
  const refusedBefore = number === before.balance?.tries ? refusalOf(open, before.card) : undefined;
  const marked = refusedBefore ? open : await markTry(stripe, open, number);
  if (marked.status === 'succeeded') return { type: 'stopped', why: 'elsewhere' };
  // A decision made after this read cancels the open payment.
  const record = await readAgain(records, before.id, marked);
  const why = record ? chargeStop(record, now) : 'not-due';
  if (!record || why) return { type: 'stopped', why: why ?? 'not-due' };
  const { card } = record;
  const isAsBegun = card?.id === before.card?.id && marked.amount === balanceOfRecord(record).byCardCents;
  if (!card || !isAsBegun) return { type: 'stopped', why: 'elsewhere' };
  const tried = refusedBefore ?? (await confirm(stripe, marked.id, number, card));
  if ('amount_received' in tried) return { type: 'charged', cents: tried.amount_received };
  const decline = declineOf({
    ...{ refusal: tried, try: number, card, at: now },
    stepBefore: stepsOf(before, card),
    endsAt: new Date(record.edition.facts.endsAt),
  });
  await stripe.paymentIntents.update(marked.id, {
    metadata: { [BALANCE_MARKS.decline]: JSON.stringify(decline) },
  });
  return { type: 'declined', decline };
}

/** The number of the try whose result is unknown, or else of the next try. */
function numberOfTry(balance: BalancePayment | undefined): number {
  const ended = balance?.decline?.try ?? 0;
  return Math.max(balance?.tries ?? 0, ended + 1);
}

/**
 * How many tries this card has had in the current round: another card begins a new round, and so does the
 * office.
 */
function stepsOf(record: RegistrationRecord, card: CardOnFile): number {
  const decline = record.balance?.decline;
  if (!decline || decline.card !== card.id || card.since > decline.at) return 0;
  return newRoundAt(record, decline) ? 0 : decline.step;
}

/**
 * Records the number of the try on the payment. Like every change of a payment, this clears its last error.
 */
function markTry(
  stripe: Stripe,
  { id }: Stripe.PaymentIntent,
  number: number,
): Promise<Stripe.PaymentIntent> {
  const changes = { metadata: { [BALANCE_MARKS.try]: String(number) } };
  return writeOnce(
    `${id}-try-${number}`,
    (idempotencyKey) => stripe.paymentIntents.update(id, changes, { idempotencyKey }),
    async () => {
      const intent = await stripe.paymentIntents.retrieve(id);
      return intent.metadata[BALANCE_MARKS.try] === String(number) ? intent : undefined;
    },
  );
}

/** The registration as it is now, with the open payment of its balance as Stripe returned it a moment ago. */
async function readAgain(
  { stripe, database }: Records,
  depositId: string,
  open: Stripe.PaymentIntent,
): Promise<RegistrationRecord | undefined> {
  const deposit = await retrieveIntent(stripe, depositId, RECORD_EXPANSION);
  const read = await readPayments(stripe, deposit ? [deposit, open] : []);
  return readRecord(withPayments(await readOnRecord({ database }, depositId), read));
}

/** Tries the card. @returns the paid payment, or how it was refused */
async function confirm(
  stripe: Stripe,
  id: string,
  number: number,
  card: CardOnFile,
): Promise<Stripe.PaymentIntent | Refusal> {
  const parameters = { payment_method: card.id, off_session: true };
  try {
    return await writeOnce(
      `${id}-confirm-${number}`,
      async (idempotencyKey) => {
        const intent = await stripe.paymentIntents.confirm(id, parameters, { idempotencyKey });
        return endOf(intent, card) ?? NEEDS_HER;
      },
      async () => endOf(await stripe.paymentIntents.retrieve(id), card),
    );
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) return error;
    if (isUnusable(error)) return UNUSABLE;
    throw error;
  }
}

const NEEDS_HER: Refusal = { code: 'authentication_required' };
/** The payment method was detached from its customer. */
const UNUSABLE: Refusal = { code: 'payment_method_unusable', advice_code: 'do_not_try_again' };

function isUnusable(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.param === 'payment_method';
}

/** The result of a try with a card, as far as the payment shows it. */
function endOf(intent: Stripe.PaymentIntent, card: CardOnFile): Stripe.PaymentIntent | Refusal | undefined {
  return intent.status === 'succeeded' ? intent : refusalOf(intent, card);
}

function refusalOf({ last_payment_error: error }: Stripe.PaymentIntent, card: CardOnFile | undefined) {
  return error && card && error.payment_method?.id === card.id ? error : undefined;
}
