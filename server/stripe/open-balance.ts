import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import { readActs, THE_WORKER } from '#server/registration/acts.ts';
import type { BalancePayment } from '#server/registration/balance-payment.ts';
import { balanceTermsOf } from '#server/registration/card-on-file.ts';
import { chargeObstacle } from '#server/registration/charge-plan.ts';
import { numberOfPart } from '#server/registration/ledger-of-acts.ts';
import { ACTS } from '#server/registration/on-record.ts';
import {
  balanceOfRecord,
  balancesOf,
  canPayDeposit,
  depositByCardOf,
  isRestByCheck,
  paidBalances,
  partNumber,
  partsOf,
} from '#server/registration/owed.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { refused, requireNotHeld, tooManyDeclines } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { isDepositBack, owesNothing, owingStates, stateOf } from '#server/registration/registration-state.ts';
import { changeRow } from '#server/registration/registrations.ts';
import { addAct } from '#server/registration/write-acts.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import { toBeConfirmedByHer } from './cards.ts';
import { customerOfHeld } from './customers.ts';
import { depositOfHeld, hasStatement, statementOf } from './deposit.ts';
import { cancelUnpaid } from './forget.ts';
import { isOfBalance, isUnpaid, ownMarksOfBalance, partOf, registrationOf } from './payment-at-stripe.ts';
import { RECORD_EXPANSION, type Records, recordChange, recordPayment } from './record-payments.ts';
import { ifStillOpen, writeOnce } from './stripe-calls.ts';

/**
 * The open payment of a registration's balance with the amount that is due now; created if there is none.
 * Worker and page open the same payment: the parameters under its idempotency key never vary, so that for two
 * concurrent requests Stripe makes one. It has no `setup_future_usage`: Stripe refuses that together with
 * `off_session`.
 * @param record read just now; a payment that was made since then is found by its key
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function openBalance(
  records: Records,
  record: RegistrationRecord,
  now: Date,
): Promise<Stripe.PaymentIntent> {
  const { balance } = record;
  const isThere = balance && balance.status !== 'cancelled';
  const open = isThere ? await recordPayment(records, balance.id) : await createBalance(records, record, now);
  if (!open) throw new Error(`${balance?.id} is gone at Stripe`);
  return setAmount(records, open, record);
}

/** Creates it with the full balance: what the office waives may change, so that is subtracted afterwards. */
async function createBalance(
  records: Records,
  record: RegistrationRecord,
  now: Date,
): Promise<Stripe.PaymentIntent> {
  const customer = await customerOfHeld(records, record, now);
  const { id, edition, balance: cancelled } = record;
  const number = partNumber(record);
  const { facts } = edition;
  const whole = balanceOf(balanceTermsOf(record));
  const parameters: Stripe.PaymentIntentCreateParams = {
    amount: whole.byCardCents,
    currency: 'usd',
    customer,
    description: facts.retreatPackage.title,
    ...statementOf(facts),
    allowed_payment_method_types: ['card'],
    metadata: ownMarksOfBalance(facts, id, whole, number),
  };
  // A number that a card has paid and that is open again, or whose payment was cancelled, gets another one.
  const before = cancelled ?? paidBalances(record).findLast(({ part = 0 }) => part === number);
  const key = [id, 'balance', number, ...(before ? ['after', before.id] : [])].join('-');
  const known = new Set(paidBalances(record).map((one) => one.id));
  const isOwn = (intent: Stripe.PaymentIntent) =>
    isOfBalance(intent) && registrationOf(intent) === id && partOf(intent) === number;
  const isFirstTry = await noteAsked(records, id, key, now);
  return recordChange(records, ({ paymentIntents }) => {
    const find = async () => {
      const expand = RECORD_EXPANSION.map((path) => `data.${path}`);
      const { data } = await paymentIntents.list({ customer, limit: 100, expand });
      const own = data.filter((intent) => isOwn(intent) && !known.has(intent.id));
      return (
        own.find(({ status }) => status === 'succeeded') ?? own.find(({ status }) => status !== 'canceled')
      );
    };
    const create = (idempotencyKey: string) => paymentIntents.create(parameters, { idempotencyKey });
    return writeOnce(key, create, find, isFirstTry);
  });
}

/**
 * Puts on record that a payment is asked for: a process may be killed before it records the answer.
 * @returns whether nobody has asked for it before
 */
async function noteAsked({ database }: Records, subject: string, key: string, at: Date): Promise<boolean> {
  let isFirst = false;
  await database.write(async (transaction) => {
    if ((await readActs(transaction, subject)).some(({ id }) => id === key)) return;
    // It stays so if the answer to the COMMIT is lost.
    isFirst = true;
    await addAct(transaction, { id: key, subject, kind: ACTS.balanceAsked, at, by: THE_WORKER });
  });
  return isFirst;
}

/** Sets the amount that is due and the statement, unless the payment is paid or cancelled. */
function setAmount(
  records: Records,
  intent: Stripe.PaymentIntent,
  record: RegistrationRecord,
): Promise<Stripe.PaymentIntent> | Stripe.PaymentIntent {
  const { facts } = record.edition;
  const due = balanceOfRecord(record);
  const isRight = intent.amount === due.byCardCents && hasStatement(intent, facts);
  if (intent.status === 'succeeded' || intent.status === 'canceled' || isRight) return intent;
  const metadata = ownMarksOfBalance(facts, record.id, due, partNumber(record));
  const changes = { amount: due.byCardCents, ...statementOf(facts), metadata };
  return recordChange(records, ({ paymentIntents }) => paymentIntents.update(intent.id, changes));
}

/** Whether an open payment must not be paid as it is, see `fitBalance`. */
export function isToBeFitted(record: RegistrationRecord, now: Date): boolean {
  return staleBalances(record, now).length > 0 || isDepositCovered(record);
}

/**
 * The open payments of parts that she does not owe, or not by card, or not with this sum; or of which a try has no result, and
 * cannot be made again.
 */
function staleBalances(record: RegistrationRecord, now: Date): readonly BalancePayment[] {
  const isByCard = !owesNothing(record) && !isRestByCheck(record);
  const owed = isByCard ? partsOf(record) : [];
  return openBalances(record).filter(
    ({ id, cents }) =>
      !owed.some(
        (part) =>
          part.balance?.id === id && balanceOfRecord(part).byCardCents === cents && !isStuck(part, now),
      ),
  );
}

function isStuck(part: RegistrationRecord, now: Date): boolean {
  const obstacle = chargeObstacle(part, now);
  const isTried = part.context.trying.includes(numberOfPart(partNumber(part)));
  return isTried && obstacle !== undefined && obstacle !== 'processing';
}

/** The payments of the balance, and of parts of it, that can still be paid. */
export function openBalances(record: RegistrationRecord): readonly BalancePayment[] {
  return balancesOf(record).filter(({ status }) => status === 'open');
}

/** Whether the payment of a deposit is open although it was paid in another way. */
function isDepositCovered({ deposit, depositPayment }: RegistrationRecord): boolean {
  return deposit === 'paid' && depositPayment?.status === 'open';
}

/**
 * Cancels the open payment of a balance if it does not match what is left to pay, and that of a deposit that was paid in
 * another way, so that a registrant whose page is still open does not pay what she does not owe. A new payment is made
 * when needed. A payment that was paid meanwhile stays paid.
 * @returns whether it cancelled a payment now
 */
export async function fitBalance(records: Records, id: string, now: Date): Promise<boolean> {
  const record = await findRegistration(records, id);
  if (!record) return false;
  const stale = staleBalances(record, now).map((balance) => balance.id);
  if (record.depositPayment && isDepositCovered(record)) stale.push(record.depositPayment.id);
  return (await cancelAll(records, stale)).includes(true);
}

/**
 * Cancels the open payments of a balance and of its parts.
 * @returns the registration after that
 */
export async function cancelOpenBalances(
  records: Records,
  id: string,
): Promise<RegistrationRecord | undefined> {
  const record = await findRegistration(records, id);
  const open = record ? openBalances(record).map((balance) => balance.id) : [];
  if (open.length === 0) return record;
  await cancelAll(records, open);
  return findRegistration(records, id);
}

/** One after the other. @returns of each whether it was cancelled now */
async function cancelAll(records: Records, payments: readonly string[]): Promise<boolean[]> {
  const cancelled: boolean[] = [];
  for (const id of payments) cancelled.push(await cancel(records, id));
  return cancelled;
}

async function cancel(records: Records, id: string): Promise<boolean> {
  const isOpen = await ifStillOpen(recordChange(records, ({ paymentIntents }) => paymentIntents.cancel(id)));
  // It was paid meanwhile, or cancelled at Stripe.
  if (!isOpen) await recordPayment(records, id);
  return isOpen !== undefined;
}

/**
 * Cancels all open payments of a registration whose sums have changed, whatever sum each has, so that nobody pays by an
 * old page: those of the balance, and that of a deposit that was paid in another way.
 * @param before the registration as it was before that
 * @returns whether a card has paid more of the balance since then
 * @throws {AppError} when one could not be cancelled
 */
export async function cancelAfterChange(records: Records, before: RegistrationRecord): Promise<boolean> {
  try {
    const now = await cancelOpenBalances(records, before.id);
    if (now && isDepositCovered(now)) await cancelUnpaid(records, before.id);
    return now !== undefined && paidBalances(now).length > paidBalances(before).length;
  } catch (cause) {
    const message =
      'It is recorded, but an open payment of the balance could not be cancelled: look whether it is paid since, and have all registrations looked through again';
    throw new AppError({ code: 'decided_not_fitted', status: 502, message, cause });
  }
}

export interface BalanceToPay {
  clientSecret: string;
  /** US cents. */
  cents: number;
  /** The card on file, if there is one. */
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
  const openPayment = record.deposit === 'unpaid' ? openDeposit : openBalance;
  const open = await ifStillOpen(
    openPayment(records, record, now).then((payment) => toBeConfirmedByHer(records, payment)),
  );
  if (!open || !isUnpaid(open) || open.amount !== shown) throw refused('changed');
  await requireFewFailures(records.stripe, record, open.id);
  const { client_secret: clientSecret, amount: cents } = open;
  if (clientSecret === null) throw new Error(`${open.id} has no client secret`);
  const isPaying = { payingBegunAt: now };
  await records.database.write(async (transaction) => {
    await requireNotHeld(transaction);
    await changeRow(transaction, record.id, isPaying);
  });
  await requireStillOwed(records, record.id, open, now);
  return { clientSecret, cents, paymentMethod: record.card?.id ?? null };
}

/**
 * Reads the registration once more: a decision made before this read may not have seen the payment, and is
 * found here; a decision made after it cancels the payment.
 */
async function requireStillOwed(
  records: Records,
  registration: string,
  { id, amount }: Stripe.PaymentIntent,
  now: Date,
): Promise<void> {
  const record = await findRegistration(records, registration);
  const isOwed = record && canPay(record, now) && toPayByCard(record) === amount;
  const open = [record?.depositPayment, record?.balance].find((payment) => payment?.id === id);
  if (isOwed && open?.status === 'open') return;
  await fitBalance(records, registration, now);
  throw refused('changed');
}

/** What she pays by card on her page now, in US cents: the deposit that her place is held for, or the balance. */
function toPayByCard(record: RegistrationRecord): number {
  return record.deposit === 'unpaid' ? depositByCardOf(record) : balanceOfRecord(record).byCardCents;
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
  const open = openBalances(record).map(({ id }) => id);
  if (depositPayment?.status === 'open') open.push(depositPayment.id);
  for (const id of open) await recordPayment(records, id);
  return (await findRegistration(records, record.id)) ?? record;
}

/** Whether she can pay, or give another card, on her page. */
export function canPay(record: RegistrationRecord, now: Date): boolean {
  const { disputed, edition } = record;
  if (record.isProcessing) return false;
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
