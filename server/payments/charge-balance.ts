import Stripe from 'stripe';
import { BALANCE_MARKS, type BalanceDecline, type BalancePayment } from './balance-payment.ts';
import type { CardOnFile } from './card-on-file.ts';
import { type ChargeStop, chargeStop } from './charge-plan.ts';
import { declineOf, type Refusal } from './declines.ts';
import { findRegistration } from './find-registration.ts';
import { openBalance } from './open-balance.ts';
import { isKeyInUse, isUnexpectedState } from './provider-errors.ts';
import {
  balanceOfRecord,
  RECORD_EXPANSION,
  type RegistrationRecord,
  readRecord,
} from './registration-record.ts';
import { newRoundAt } from './registration-state.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { writeOnce } from './write-once.ts';

/** What came of charging a balance without her. */
export type ChargeOutcome =
  | { type: 'charged'; cents: number }
  | { type: 'declined'; decline: BalanceDecline }
  /** Nothing was tried. `elsewhere`: somebody else tries it, or in this moment it was paid, cancelled or changed. */
  | { type: 'stopped'; why: ChargeStop | 'elsewhere' };

/**
 * Charges the balance of a registration to the card on file, without her, if it is due. However often this is called, by
 * how many, and wherever it is cut off: there is one open payment of a balance, and it succeeds once. A try is on record
 * before it is made, so that one whose end is not known is gone on with under its own number. A decline is no error; a
 * failure of Stripe is, and no try.
 * @throws {Stripe.errors.StripeError} when Stripe fails or cannot be reached
 * @see https://docs.stripe.com/payments/save-and-reuse
 */
export async function chargeBalance(stripe: Stripe, depositId: string, now: Date): Promise<ChargeOutcome> {
  try {
    const record = await findRegistration(stripe, depositId);
    const why = record ? chargeStop(record, now) : 'not-due';
    if (!record || why) return { type: 'stopped', why: why ?? 'not-due' };
    return await tryToCharge(stripe, record, now);
  } catch (error) {
    if (isKeyInUse(error) || isUnexpectedState(error)) return { type: 'stopped', why: 'elsewhere' };
    throw error;
  }
}

async function tryToCharge(stripe: Stripe, before: RegistrationRecord, now: Date): Promise<ChargeOutcome> {
  const open = await openBalance(stripe, before);
  const number = numberOfTry(before.balance);
  const refusedBefore = number === before.balance?.tries ? refusalOf(open, before.card) : undefined;
  const marked = refusedBefore ? open : await markTry(stripe, open, number);
  if (marked.status === 'succeeded') return { type: 'stopped', why: 'elsewhere' };
  // A decision made after this read cancels the open payment.
  const record = await readAgain(stripe, before.id, marked);
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

/** That of a try whose end is not known, or the next one. */
function numberOfTry(balance: BalancePayment | undefined): number {
  const ended = balance?.decline?.try ?? 0;
  return Math.max(balance?.tries ?? 0, ended + 1);
}

/** How many tries this card has had in the present round: another card begins one, and so does the office. */
function stepsOf(record: RegistrationRecord, card: CardOnFile): number {
  const decline = record.balance?.decline;
  if (!decline || decline.card !== card.id || card.since > decline.at) return 0;
  return newRoundAt(record, decline) ? 0 : decline.step;
}

/** It clears the last error, as every change of a payment does. */
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

/** The registration as it is now, with the open payment of its balance as it was answered a moment ago. */
async function readAgain(
  stripe: Stripe,
  depositId: string,
  open: Stripe.PaymentIntent,
): Promise<RegistrationRecord | undefined> {
  const deposit = await retrieveIntent(stripe, depositId, RECORD_EXPANSION);
  // Of a payment that is still open, no charge counts.
  return deposit && readRecord(deposit, [{ ...open, latest_charge: null }]);
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
/** It was taken from its customer. */
const UNUSABLE: Refusal = { code: 'payment_method_unusable', advice_code: 'do_not_try_again' };

function isUnusable(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.param === 'payment_method';
}

/** What became of a try with a card, as far as the payment tells it. */
function endOf(intent: Stripe.PaymentIntent, card: CardOnFile): Stripe.PaymentIntent | Refusal | undefined {
  return intent.status === 'succeeded' ? intent : refusalOf(intent, card);
}

function refusalOf({ last_payment_error: error }: Stripe.PaymentIntent, card: CardOnFile | undefined) {
  return error && card && error.payment_method?.id === card.id ? error : undefined;
}
