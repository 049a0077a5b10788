import Stripe from 'stripe';
import { isHeld } from '#server/database/hold.ts';
import { hasKind, THE_WORKER } from '#server/registration/acts.ts';
import {
  byPayment,
  isRefundOrdered,
  leftToRefund,
  type RefundStop,
  refundAt,
  refundStop,
} from '#server/registration/cancel-plan.ts';
import { ACTS, type CarriedOut, type Register } from '#server/registration/on-record.ts';
import { orderOf, paidBalances, sumOf } from '#server/registration/owed.ts';
import { settlePlaces } from '#server/registration/places-taken.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import type { RefundOnRecord, RegistrationRecord, Whose } from '#server/registration/registration-record.ts';
import { stateOf } from '#server/registration/registration-state.ts';
import { writeAct } from '#server/registration/write-acts.ts';
import { cancelOpenBalances, openBalances } from './open-balance.ts';
import { ORDER_MARK, ownMarksOfRefund } from './payment-at-stripe.ts';
import { type Records, recordPayment } from './record-payments.ts';
import { isKeyInUse, isUsedOtherwise, writeOnce } from './stripe-calls.ts';

/** The result of carrying out the refunds that were decided for a registration. */
export type RefundOutcome =
  /** To her card, in US cents; her bank may still refuse it. */
  | { type: 'given-back'; cents: number }
  /** A retry will not help: Stripe says so by its code, or less is left than was decided. */
  | { type: 'refused'; code: string }
  /** `elsewhere`: a balance is being paid, or another process is making the refund. */
  | { type: 'stopped'; why: RefundStop | 'elsewhere' | 'register-held' };

/**
 * Refunds by card what was decided for a registration: first the office's exception, then the cancellation,
 * less what was refunded before. However often this is called, by however many processes, and wherever it is
 * interrupted: each decision leads to at most one refund per payment, which carries the decision's name and
 * is looked up before it is made. A cancellation ends with a mark of its result, even if nothing is refunded.
 * A refund that fails later is not made again.
 * @throws {Stripe.errors.StripeError} when Stripe fails or cannot be reached
 * @see https://docs.stripe.com/refunds
 */
export async function makeDueRefunds(records: Records, id: string, now: Date): Promise<RefundOutcome> {
  const { stripe } = records;
  const record = await readAnew(records, id);
  const why = record ? refundStop(record, now) : 'nothing-due';
  if (!record || why) return { type: 'stopped', why: why ?? 'nothing-due' };
  if (await records.database.read(isHeld)) return { type: 'stopped', why: 'register-held' };
  const exception = isRefundOrdered(record)
    ? await outcomeOf(() => giveBackException(stripe, record), records, record)
    : undefined;
  const isCancelling = stateOf(record, now) === 'cancelling';
  // Until the result of the exception is known, so is not what is left for the cancellation. A refused one
  // refunds nothing.
  if (exception && (!isCancelling || exception.type === 'stopped')) return exception;
  const cancelling = await outcomeOf(() => workOffCancelling(records, id, now), records, record);
  if (cancelling.type !== 'given-back' || !exception) return cancelling;
  return exception.type === 'given-back'
    ? { ...cancelling, cents: exception.cents + cancelling.cents }
    : exception;
}

/** The registration after its payments by card were read at Stripe: something may have gone back by hand. */
async function readAnew(records: Records, id: string): Promise<RegistrationRecord | undefined> {
  const record = await findRegistration(records, id);
  if (record) await recordPaid(records, record);
  return record && findRegistration(records, id);
}

async function recordPaid(records: Records, record: RegistrationRecord): Promise<void> {
  const { depositPayment } = record;
  const paid = paidBalances(record).map(({ id }) => id);
  for (const payment of [...(depositPayment ? [depositPayment.id] : []), ...paid])
    await recordPayment(records, payment);
}

/** Carries it out, and records what Stripe shows after that, also of what it refused. */
async function outcomeOf(
  act: () => Promise<RefundOutcome>,
  records: Records,
  record: RegistrationRecord,
): Promise<RefundOutcome> {
  const outcome = await tried(act);
  await recordPaid(records, record);
  return outcome;
}

async function tried(act: () => Promise<RefundOutcome>): Promise<RefundOutcome> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof AskedOtherwise || isKeyInUse(error)) return ELSEWHERE;
    // Under the same key Stripe replays this answer for a day, whatever changes.
    if (error instanceof Stripe.errors.StripeInvalidRequestError)
      return { type: 'refused', code: error.code ?? error.param ?? error.type };
    throw error;
  }
}

const ELSEWHERE: RefundOutcome = { type: 'stopped', why: 'elsewhere' };

/** From the balance first, then from the deposit, never more than is left of each. */
async function giveBackException(stripe: Stripe, record: RegistrationRecord): Promise<RefundOutcome> {
  const { refund } = record.decisions;
  if (!refund) return { type: 'stopped', why: 'nothing-due' };
  const order = orderOf('refund', refund);
  const refunds = record.refunds.filter((one) => one.order !== order);
  const made = (of: RefundOnRecord['of']) =>
    sumOf(record.refunds.filter((one) => one.order === order && one.of === of));
  // What was left before the first refund of this exception, which may have been made before a worker was
  // killed.
  const left = leftToRefund({ ...record, refunds });
  const balance = Math.max(made('balance'), Math.min(refund.cents - made('deposit'), left.balance));
  const deposit = refund.cents - balance;
  if (deposit > Math.max(left.deposit, made('deposit'))) return { type: 'refused', code: 'more-than-left' };
  const cents = await giveBack(stripe, record, { balance, deposit }, { order, by: refund.by });
  return { type: 'given-back', cents };
}

/** Cancels the open balance first, so that nobody can pay it any more when the refund is calculated. */
async function workOffCancelling(records: Records, id: string, now: Date): Promise<RefundOutcome> {
  const { stripe } = records;
  const record = await cancelOpenBalances(records, id);
  const cancel = record?.decisions.cancel;
  const why = record ? refundStop(record, now) : 'nothing-due';
  if (!record || !cancel || why) return { type: 'stopped', why: why ?? 'nothing-due' };
  if (openBalances(record).length > 0) return ELSEWHERE;
  const order = orderOf('cancel', cancel);
  const refund = refundAt(record, cancel.writtenAt);
  const cents = await giveBack(stripe, record, byPayment(refund), { order, by: cancel.by });
  await recordCarriedOut(records, record, now, { cents, checkCents: refund.byCheckCents });
  return { type: 'given-back', cents };
}

/** The decision that asks for refunds. */
interface Order {
  order: string;
  by: string;
}

/** Refunds so many US cents of each payment; returns how many in all. */
async function giveBack(
  stripe: Stripe,
  record: RegistrationRecord,
  parts: Readonly<Record<RefundOnRecord['of'], number>>,
  order: Order,
): Promise<number> {
  let cents = 0;
  const amounts = [
    ...divideByPayment(record, parts.balance, order),
    { payment: record.depositPayment?.id ?? '', amount: parts.deposit },
  ];
  for (const one of amounts) if (one.amount > 0) cents += await giveBackOf(one, stripe, record, order);
  return cents;
}

/** How much goes back of each payment of the balance, the newest first, in US cents. */
function divideByPayment(
  record: RegistrationRecord,
  wantedCents: number,
  { order }: Order,
): readonly { payment: string; amount: number }[] {
  const others = record.refunds.filter((one) => one.order !== order);
  const isGone = ({ status, order: ordered }: RefundOnRecord) => status !== 'failed' || ordered !== undefined;
  let left = wantedCents;
  return paidBalances(record)
    .map(({ id: payment, cents }, index) => ({ payment, cents, isLast: index === 0 }))
    .toReversed()
    .map(({ payment, cents, isLast }) => {
      const gone = sumOf(others.filter((one) => one.payment === payment && isGone(one)));
      const amount = isLast ? left : Math.min(left, Math.max(0, cents - gone));
      left -= amount;
      return { payment, amount };
    });
}

/**
 * The key does not contain the sum: should two workers see different sums, Stripe makes one refund and
 * refuses the other.
 */
async function giveBackOf(
  { payment: payment_intent, amount }: { payment: string; amount: number },
  stripe: Stripe,
  { id, edition }: RegistrationRecord,
  { order, by }: Order,
): Promise<number> {
  const lookUp = () => findOrdered(stripe, payment_intent, order);
  const refund = async (idempotencyKey: string): Promise<Stripe.Refund> => {
    const metadata = { ...ownMarksOfRefund(edition.facts, id), [ORDER_MARK]: order, by };
    const parameters = { payment_intent, amount, reason: 'requested_by_customer', metadata } as const;
    try {
      return await stripe.refunds.create(parameters, { idempotencyKey });
    } catch (error) {
      if (isUsedOtherwise(error)) throw new AskedOtherwise();
      throw error;
    }
  };
  const made = await writeOnce(`${payment_intent}-${order}`, refund, lookUp, false);
  return made.amount;
}

/**
 * Another sum was requested under the same key: its result is on record later, or the key expires after a
 * day.
 */
class AskedOtherwise extends Error {}

/**
 * The refund of a payment that a decision asked for. Stripe forgets a key after a day, but never a refund.
 */
async function findOrdered(
  stripe: Stripe,
  payment_intent: string,
  order: string,
): Promise<Stripe.Refund | undefined> {
  for await (const refund of stripe.refunds.list({ payment_intent, limit: 100 }))
    if (refund.metadata?.[ORDER_MARK] === order) return refund;
  return undefined;
}

async function recordCarriedOut(
  { database }: Register,
  { id }: Whose,
  at: Date,
  facts: Omit<CarriedOut, 'at'>,
): Promise<void> {
  const act = { kind: ACTS.cancelled, at, by: THE_WORKER, facts };
  await writeAct(
    database,
    id,
    (acts) => (hasKind(acts, ACTS.cancelled) ? undefined : act),
    (transaction) => settlePlaces(transaction, [id]),
  );
}
