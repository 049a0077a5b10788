import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { type AttemptRow, type Database, noteChange, rowsWith } from '#server/database/database.ts';
import {
  type CardOnFile,
  type ChargeStop,
  changeByPayments,
  chargeStop,
  type Decline,
  declineOf,
  findRegistration,
  type Installment,
  installmentsOf,
  installmentToCharge,
  isHeld,
  isTryUnderWay,
  NOT_TRIED,
  newRoundAt,
  type Refusal,
  type RegistrationRecord,
  readRegistration,
} from '#server/registration/registration.ts';
import { openBalance } from './balance.ts';
import { refusalOf } from './cards.ts';
import { endCheckout } from './checkout.ts';
import { type Records, recordChange, recordPayment } from './record-payments.ts';
import { ifThere, isKeyInUse, isServerFailure, isUnexpectedState, writeOnce } from './stripe-calls.ts';

type ChargeOutcome =
  | { type: 'charged'; cents: number }
  | { type: 'declined'; decline: Decline }
  /**
   * `elsewhere`: another process tries it, or it was paid, cancelled or changed meanwhile; `processing`: her bank has yet
   * to answer; `cancelled`: Stripe has cancelled the payment.
   */
  | { type: 'stopped'; why: ChargeStop | 'elsewhere' | 'cancelled' | 'register-held' };

/**
 * Charges the installment that is due to the card on file, off-session. However often, by however many processes and
 * wherever interrupted: an installment has one open payment, which succeeds once, and a try is recorded before it is made,
 * so that one without a result is resumed under its own number. A failure of Stripe is no try.
 */
export async function chargeBalance(records: Records, id: string, now: Date): Promise<ChargeOutcome> {
  try {
    const found = await findRegistration(records, id);
    if (!found) return { type: 'stopped', why: 'not-due' };
    const isAsked = installmentToCharge(found, now) !== undefined;
    const hasOther = isAsked && (await endCheckout(records, found));
    const record = hasOther ? ((await findRegistration(records, id)) ?? found) : found;
    const one = installmentToCharge(record, now);
    if (!one) return { type: 'stopped', why: chargeStop(record, now) ?? 'not-due' };
    const opened = await openBalance(records, record, now, one);
    if (opened.status === 'succeeded') return { type: 'stopped', why: 'elsewhere' };
    if (opened.status === 'canceled') return { type: 'stopped', why: 'cancelled' };
    const open = isTryUnderWay(one) ? opened : await withoutEarlierError(records, record, opened);
    const begun = await beginAttempt(records, record.id, one.number, open, now);
    return typeof begun === 'string'
      ? { type: 'stopped', why: begun }
      : await tryToCharge(records, record, begun, open, now);
  } catch (error) {
    if (isKeyInUse(error) || isUnexpectedState(error)) return { type: 'stopped', why: 'elsewhere' };
    throw error;
  }
}

interface Attempt {
  card: CardOnFile;
  id: string;
  try: number;
  step: number;
  begunAt: Date;
  /** The payment with which it was begun before, and which may show its result. */
  begunWith?: string | undefined;
}

/** Every change clears the error, so what the payment shows from now on is the result of the next try. */
function withoutEarlierError(
  records: Records,
  record: RegistrationRecord,
  open: Stripe.PaymentIntent,
): Promise<Stripe.PaymentIntent> | Stripe.PaymentIntent {
  if (!open.last_payment_error) return open;
  const { title: description } = record.edition.facts.retreatPackage;
  return recordChange(records, ({ paymentIntents }) => paymentIntents.update(open.id, { description }));
}

/** A decision recorded before it is seen here; one recorded after it cancels the open payment. */
function beginAttempt(
  { database }: Records,
  registration: string,
  installment: number,
  open: Stripe.PaymentIntent,
  now: Date,
): Promise<Attempt | ChargeStop | 'elsewhere' | 'register-held'> {
  const newId = uuidV7();
  // As the first run finds it: where the answer to the COMMIT was lost, the next one finds this payment.
  let begunWith: string | undefined;
  return database.write(async (transaction) => {
    if (await isHeld(transaction)) return 'register-held';
    const record = await readRegistration(transaction, registration);
    const one = record && installmentsOf(record).find(({ number }) => number === installment);
    if (!one) return 'not-due';
    const why = chargeStop(record, now, one);
    if (why) return why;
    const { card } = record;
    const isOpen = one.payment?.id === open.id && open.amount === one.left.byCardCents;
    if (!card || !isOpen) return 'elsewhere';
    const attempts = await rowsWith(transaction, 'attempts', 'registration', [registration], 'try');
    const last = attempts.findLast((attempt) => attempt.number === installment && attempt.id !== newId);
    const unfinished = last?.endedAt === null ? last : undefined;
    begunWith ??= unfinished?.payment;
    const { id, try: count } = unfinished ?? { id: newId, try: (last?.try ?? 0) + 1 };
    const step = stepsOf(record, one, card) + 1;
    const about = { id, registration, number: installment, try: count };
    const row = { ...about, payment: open.id, card: card.id, step };
    const unknown = { endedAt: null, code: null, nextAt: null, final: 0 } as const;
    await transaction
      .insertInto('attempts')
      .values({ ...row, ...unknown, begunAt: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
    await noteChange(transaction, registration);
    return { card, id, try: count, step, begunWith, begunAt: unfinished?.begunAt ?? now };
  });
}

async function tryToCharge(
  records: Records,
  record: RegistrationRecord,
  attempt: Attempt,
  open: Stripe.PaymentIntent,
  now: Date,
): Promise<ChargeOutcome> {
  const { stripe, database } = records;
  const { id, step, card, begunWith } = attempt;
  const begun =
    begunWith === undefined || begunWith === open.id
      ? open
      : await ifThere(stripe.paymentIntents.retrieve(begunWith));
  const refusedBefore = begunWith !== undefined && begun ? refusalShown(begun, card) : undefined;
  const answer = refusedBefore ?? (await confirm(records, record, open.id, attempt, now));
  await recordPayment(records, open.id);
  const endedAt = now;
  const isAnswered = 'status' in answer;
  if (isAnswered && answer.status === 'succeeded') {
    await endAttempt(database, record, { id, endedAt });
    return { type: 'charged', cents: answer.amount_received };
  }
  // The payment itself shows what comes of these.
  if (isAnswered && answer.status === 'processing') return { type: 'stopped', why: 'processing' };
  if (isAnswered && answer.status === 'canceled') return { type: 'stopped', why: 'cancelled' };
  const tried = isAnswered ? NEEDS_HER : answer;
  const endsAt = new Date(record.edition.facts.endsAt);
  const decline = declineOf(tried, { try: attempt.try, at: now, card: card.id, step }, endsAt);
  const { code, next, final } = decline;
  await endAttempt(database, record, { id, endedAt, code, nextAt: next ?? null, final: final ? 1 : 0 });
  return { type: 'declined', decline };
}

async function endAttempt(
  database: Database,
  { id: registration }: RegistrationRecord,
  { id, ...end }: Pick<AttemptRow, 'id'> & Partial<AttemptRow>,
): Promise<void> {
  await database.write(async (transaction) => {
    await transaction.updateTable('attempts').set(end).where('id', '=', id).execute();
    await changeByPayments(transaction, registration);
    await noteChange(transaction, registration);
  });
}

/** Tries of this card in the current round: another card begins a new one, and so does the office. */
function stepsOf(record: RegistrationRecord, one: Installment, card: CardOnFile): number {
  const { decline } = one;
  if (!decline || decline.card !== card.id || card.since > decline.at) return 0;
  return newRoundAt(record, one, decline) ? 0 : decline.step;
}

/** After so long without a result a try ends; should it have been carried out after all, its payment is paid once. */
const WITHOUT_RESULT_MS = 24 * 60 * 60 * 1000;

async function confirm(
  records: Records,
  record: RegistrationRecord,
  id: string,
  { card, try: count, begunAt }: Attempt,
  now: Date,
): Promise<Stripe.PaymentIntent | Refusal> {
  const { stripe } = records;
  const parameters = { payment_method: card.id, off_session: true };
  try {
    return await writeOnce(
      `${id}-confirm-${count}`,
      (idempotencyKey) => stripe.paymentIntents.confirm(id, parameters, { idempotencyKey }),
      async () => endOf(await stripe.paymentIntents.retrieve(id), card),
      // The result of an earlier one was looked for when this one began.
      true,
    );
  } catch (error) {
    if (isServerFailure(error) && now.getTime() - begunAt.getTime() >= WITHOUT_RESULT_MS)
      return { code: `${NOT_TRIED}no_result` };
    const refusal = await refusalOf(records, record, card.id, error, now);
    if (!refusal) throw error;
    return refusal;
  }
}

const NEEDS_HER: Refusal = { code: 'authentication_required' };

function endOf(intent: Stripe.PaymentIntent, card: CardOnFile): Stripe.PaymentIntent | Refusal | undefined {
  const isEnded = ['succeeded', 'processing', 'canceled'].includes(intent.status);
  return refusalShown(intent, card) ?? (isEnded ? intent : undefined);
}

function refusalShown(
  { last_payment_error: error }: Stripe.PaymentIntent,
  card: CardOnFile,
): Refusal | undefined {
  return error?.payment_method?.id === card.id ? error : undefined;
}
