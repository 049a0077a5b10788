import type Stripe from 'stripe';
import {
  addAct,
  chargeObstacle,
  findRegistration,
  type Installment,
  installmentsOf,
  isRestByCheck,
  nextInstallment,
  owesNothing,
  paidBalances,
  type RegistrationRecord,
  readActs,
  THE_WORKER,
} from '#server/registration/registration.ts';
import { withCustomer } from './customers.ts';
import { statementSuffixOf } from './deposit.ts';
import { cancelEmptied } from './forget.ts';
import { isUnpaid, ownMarks, readMarks } from './payment-at-stripe.ts';
import { LIST_EXPANDED, type Records, recordChange, recordPayment } from './record-payments.ts';
import { ifStillOpen, writeOnce } from './stripe-calls.ts';

/**
 * The open payment of what is left of an installment, created if there is none. Worker and page open the same one, by its key.
 * It has no `setup_future_usage`: Stripe refuses that together with `off_session`.
 */
export async function openBalance(
  records: Records,
  record: RegistrationRecord,
  now: Date,
  one = nextInstallment(record),
): Promise<Stripe.PaymentIntent> {
  const { payment } = one;
  const isThere = payment && payment.status !== 'cancelled';
  const changes = amountOf(record, one);
  if (!isThere) return setAmount(records, await createBalance(records, record, one, now), changes);
  const open = await recordPayment(records, payment.id);
  if (!open) throw new Error(`${payment.id} is gone at Stripe`);
  if (!isUnpayable(open)) return setAmount(records, open, changes);
  await recordChange(records, ({ paymentIntents }) => paymentIntents.cancel(open.id));
  return createBalance(records, record, one, now);
}

/** Somebody has deleted its customer at Stripe. */
function isUnpayable(intent: Stripe.PaymentIntent): boolean {
  const { customer } = intent;
  return isUnpaid(intent) && customer !== null && typeof customer === 'object' && customer.deleted === true;
}

async function createBalance(
  records: Records,
  record: RegistrationRecord,
  one: Installment,
  now: Date,
): Promise<Stripe.PaymentIntent> {
  const { id, edition } = record;
  const { facts } = edition;
  const parameters: Stripe.PaymentIntentCreateParams = {
    currency: 'usd',
    description: facts.retreatPackage.title,
    allowed_payment_method_types: ['card'],
    ...amountOf(record, one),
  };
  // A number that a card has paid and that is open again, or whose payment was cancelled, gets another one.
  const paid = paidBalances(record);
  const before = one.payment ?? paid.findLast(({ number }) => number === one.number);
  const key = [id, 'balance', one.number, ...(before ? ['after', before.id] : [])].join('-');
  const isOwn = (intent: Stripe.PaymentIntent) => {
    const marks = readMarks(intent);
    const isOfNumber = marks?.kind === 'balance' && marks.number === one.number;
    return isOfNumber && marks.registration === id && !paid.some((known) => known.id === intent.id);
  };
  const isFirstTry = await noteAsked(records, id, key, now);
  return recordChange(records, ({ paymentIntents }) =>
    withCustomer(records, record, now, (customer) => {
      const find = async () => {
        const { data } = await paymentIntents.list({ customer, limit: 100, ...LIST_EXPANDED });
        const own = data.filter(isOwn);
        return (
          own.find(({ status }) => status === 'succeeded') ?? own.find(({ status }) => status !== 'canceled')
        );
      };
      const create = (idempotencyKey: string) =>
        paymentIntents.create({ ...parameters, customer }, { idempotencyKey });
      return writeOnce(key, create, find, isFirstTry);
    }),
  );
}

/** A process may be killed before it records the answer. @returns whether nobody has asked for it before */
async function noteAsked({ database }: Records, subject: string, key: string, at: Date): Promise<boolean> {
  let isFirst = false;
  await database.write(async (transaction) => {
    if ((await readActs(transaction, subject)).some(({ id }) => id === key)) return;
    // It stays so if the answer to the COMMIT is lost.
    isFirst = true;
    await addAct(transaction, { id: key, subject, kind: 'balance-asked', at, by: THE_WORKER });
  });
  return isFirst;
}

function amountOf({ id, edition: { facts } }: RegistrationRecord, { left, number }: Installment) {
  const { byCardCents: amount, beforeFeeCents } = left;
  const metadata = ownMarks('balance', facts, id, { amount, 'before-fee': beforeFeeCents, number });
  return { amount, ...statementSuffixOf(facts), metadata };
}

/** The payment with this amount, unless it is paid or being paid. */
export async function setAmount(
  records: Records,
  intent: Stripe.PaymentIntent,
  changes: Stripe.PaymentIntentUpdateParams & { amount: number },
): Promise<Stripe.PaymentIntent> {
  if (!isUnpaid(intent) || intent.amount === changes.amount) return intent;
  return recordChange(records, ({ paymentIntents }) => paymentIntents.update(intent.id, changes));
}

/** The open payments of her balance, and of a deposit that was paid in another way. */
export function openPayments(record: RegistrationRecord): readonly string[] {
  const { balances, deposit, depositPayment } = record;
  const isCovered = deposit === 'paid' && depositPayment?.status === 'open';
  const open = balances.filter(({ status }) => status === 'open').map(({ id }) => id);
  return isCovered ? [...open, depositPayment.id] : open;
}

/** Of what she does not owe, or not by card, or not with this sum; or whose try has no result and cannot be resumed. */
export function stalePayments(record: RegistrationRecord, now: Date): readonly string[] {
  const isByCard = !owesNothing(record) && !isRestByCheck(record);
  const right = isByCard ? installmentsOf(record).filter((one) => !isStuck(record, one, now)) : [];
  const amounts = new Map(right.map(({ payment, left }) => [payment?.id, left.byCardCents]));
  return openPayments(record).filter((open) => {
    const cents = record.balances.find(({ id }) => id === open)?.cents;
    return cents === undefined || amounts.get(open) !== cents;
  });
}

function isStuck(record: RegistrationRecord, one: Installment, now: Date): boolean {
  const obstacle = chargeObstacle(record, now, one);
  const isTried = record.context.trying.includes(one.number);
  return isTried && obstacle !== undefined && obstacle !== 'processing';
}

/** Cancels stale payments, so that an old page cannot pay them. @returns whether it cancelled one now */
export async function fitPayments(records: Records, id: string, now: Date): Promise<boolean> {
  const record = await findRegistration(records, id);
  return record !== undefined && cancelAll(records, record, stalePayments(record, now));
}

export async function cancelOpen(records: Records, id: string): Promise<RegistrationRecord | undefined> {
  const record = await findRegistration(records, id);
  const open = record ? openPayments(record) : [];
  if (!record || open.length === 0) return record;
  await cancelAll(records, record, open);
  return findRegistration(records, id);
}

/** One that was paid meanwhile stays paid. @returns whether one was cancelled now */
async function cancelAll(
  records: Records,
  { depositPayment }: RegistrationRecord,
  payments: readonly string[],
): Promise<boolean> {
  let isCancelled = false;
  for (const id of payments) {
    const cancelling =
      id === depositPayment?.id
        ? cancelEmptied(records, id)
        : recordChange(records, ({ paymentIntents }) => paymentIntents.cancel(id));
    const cancelled = await ifStillOpen(cancelling);
    if (!cancelled) await recordPayment(records, id);
    isCancelled ||= cancelled !== undefined;
  }
  return isCancelled;
}
