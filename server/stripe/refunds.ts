import Stripe from 'stripe';
import type { PayoutRow } from '#server/database/database.ts';
import {
  changeLedgerOf,
  claim,
  failPayout,
  findRegistration,
  freeSurplus,
  hasKind,
  isHeld,
  isToBeWorkedOff,
  orderWhatGoesBack,
  paidBalances,
  type RefundStop,
  type RegistrationRecord,
  readRegistration,
  refundStop,
  settlePlaces,
  THE_WORKER,
  toLeave,
  type Whose,
  writeAct,
} from '#server/registration/registration.ts';
import { cancelOpen, openPayments } from './balance.ts';
import { ORDER_MARK, ownMarks } from './payment-at-stripe.ts';
import { type Records, recordPayment } from './record-payments.ts';
import { isKeyInUse, writeOnce } from './stripe-calls.ts';

type RefundOutcome =
  /** To her card, in US cents; her bank may still refuse it. */
  | { type: 'given-back'; cents: number }
  /** A retry will not help: Stripe says so by its code. What it refused is owed by check. */
  | { type: 'refused'; code: string }
  /** `elsewhere`: a balance is being paid, or another process is making the refund. */
  | { type: 'stopped'; why: RefundStop | 'elsewhere' | 'register-held' };

const ELSEWHERE: RefundOutcome = { type: 'stopped', why: 'elsewhere' };
const HELD: RefundOutcome = { type: 'stopped', why: 'register-held' };

/**
 * Orders what goes back of a cancellation, and sends what was ordered to leave by card. However often, by however many
 * processes and wherever interrupted: a payout is claimed before Stripe is called, and is at most one refund, which bears its
 * id and is looked up before it is made.
 */
export async function makeDueRefunds(records: Records, id: string, now: Date): Promise<RefundOutcome> {
  const found = await findRegistration(records, id);
  const why = found ? refundStop(found, now) : 'nothing-due';
  if (!found || why) return { type: 'stopped', why: why ?? 'nothing-due' };
  if (await records.database.read(isHeld)) return HELD;
  // Something may have gone back by hand since.
  await recordPaid(records, found);
  const stop = await orderOfCancelling(records, id, now);
  if (stop) return stop;
  let cents = 0;
  let refusal: RefundOutcome | undefined;
  const ordered = await findRegistration(records, id);
  const byCard = ordered ? toLeave(ordered.ledger).filter(({ way }) => way === 'card') : [];
  for (const payout of byCard) {
    const outcome = await send(records, ordered ?? found, payout, now);
    if (outcome.type === 'stopped') return outcome;
    if (outcome.type === 'refused') refusal = outcome;
    else cents += outcome.cents;
  }
  return refusal ?? { type: 'given-back', cents };
}

async function recordPaid(records: Records, record: RegistrationRecord): Promise<void> {
  const { depositPayment } = record;
  const paid = paidBalances(record).map(({ id }) => id);
  for (const payment of [...(depositPayment ? [depositPayment.id] : []), ...paid])
    await recordPayment(records, payment);
}

/** Cancels the open balance first, so that nobody can pay it any more when what goes back is ordered. */
async function orderOfCancelling(
  records: Records,
  id: string,
  now: Date,
): Promise<RefundOutcome | undefined> {
  const record = await findRegistration(records, id);
  if (!record?.decisions.cancel) return undefined;
  if (record.cancelled) return orderLaterMoney(records, record, now);
  // What was ordered otherwise does not wait for it.
  if (!isToBeWorkedOff(record, now)) return undefined;
  const closed = await cancelOpen(records, id);
  const why = closed ? refundStop(closed, now) : 'nothing-due';
  if (!closed || why) return { type: 'stopped', why: why ?? 'nothing-due' };
  if (openPayments(closed).length > 0) return ELSEWHERE;
  await recordCarriedOut(records, record, now);
  return undefined;
}

async function recordCarriedOut({ database }: Records, { id }: Whose, at: Date): Promise<void> {
  const act = { kind: 'cancelled' as const, at, by: THE_WORKER };
  await writeAct(
    database,
    id,
    (acts) => (hasKind(acts, 'cancelled') ? undefined : act),
    (transaction) => settlePlaces(transaction, [id]),
  );
}

/** Ordered under the id of what brought it. */
async function orderLaterMoney(
  { database }: Records,
  { id, ledger }: RegistrationRecord,
  at: Date,
): Promise<undefined> {
  const last = ledger.entries.at(-1)?.id;
  if (freeSurplus(ledger) <= 0 || last === undefined) return;
  await database.write(async (transaction) => {
    await changeLedgerOf(transaction, id, { id: last, at }, orderWhatGoesBack);
  });
}

async function send(
  records: Records,
  { edition: { facts }, acts }: RegistrationRecord,
  payout: PayoutRow,
  now: Date,
): Promise<RefundOutcome> {
  const { database, stripe } = records;
  const { id, registration, payment, cents, feeCents, orderedBy } = payout;
  const stop = await database.write(async (transaction) => {
    if (await isHeld(transaction)) return HELD;
    const record = await readRegistration(transaction, registration);
    const one = record?.ledger.payouts.find((other) => other.id === id);
    // What is ordered may have become less since it was read.
    if (!record || record.disputed || one?.cents !== cents || one.feeCents !== feeCents) return ELSEWHERE;
    if (one.state === 'claimed') return undefined;
    if (one.state !== 'ordered') return ELSEWHERE;
    await changeLedgerOf(transaction, registration, { id, at: now }, (ledger) => claim(ledger, id));
    return undefined;
  });
  if (stop) return stop;
  if (payment === null) throw new Error(`${id} names no payment`);
  try {
    // What came beyond what was owed, the worker gives back.
    const by = acts.find((act) => act.id === orderedBy)?.byWhom ?? THE_WORKER;
    const marks = ownMarks('refund', facts, registration, { [ORDER_MARK]: id, by });
    const refund = await refundOf(stripe, id, { payment, amount: cents + feeCents, metadata: marks });
    await recordPayment(records, payment);
    return { type: 'given-back', cents: refund.amount };
  } catch (error) {
    if (isKeyInUse(error)) return ELSEWHERE;
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    // What is left of the payment may have changed, or a dispute have been opened, which it waits for.
    await recordPayment(records, payment);
    if ((await findRegistration(records, registration))?.disputed)
      return { type: 'stopped', why: 'disputed' };
    await database.write(async (transaction) => {
      await changeLedgerOf(transaction, registration, { id: `${id}-refused`, at: now }, (ledger, change) =>
        failPayout(ledger, change, id),
      );
    });
    return { type: 'refused', code: error.code ?? error.param ?? error.type };
  }
}

function refundOf(
  stripe: Stripe,
  payout: string,
  { payment: payment_intent, ...refund }: { payment: string; amount: number; metadata: Stripe.Metadata },
): Promise<Stripe.Refund> {
  const parameters = { payment_intent, ...refund, reason: 'requested_by_customer' } as const;
  return writeOnce(
    payout,
    (idempotencyKey) => stripe.refunds.create(parameters, { idempotencyKey }),
    () => findOrdered(stripe, payment_intent, payout),
    false,
  );
}

/** The refund of a payout. Stripe forgets a key after a day, but never a refund. */
async function findOrdered(
  stripe: Stripe,
  payment_intent: string,
  payout: string,
): Promise<Stripe.Refund | undefined> {
  for await (const refund of stripe.refunds.list({ payment_intent, limit: 100 }))
    if (refund.metadata?.[ORDER_MARK] === payout) return refund;
  return undefined;
}
