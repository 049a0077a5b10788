import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import { type BalancePayment, depositOfBalance } from '#server/record/balance-payment.ts';
import { balanceTermsOf } from '#server/record/balance-terms.ts';
import {
  balanceOfRecord,
  balancesOf,
  isRestByCheck,
  paidBalances,
  partNumber,
  partsOf,
} from '#server/record/owed.ts';
import { ownMarksOfBalance, partOf } from '#server/record/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owesNothing } from '#server/record/registration-state.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import { cancelUnpaid } from './close-unpaid.ts';
import { hasStatement, statementOf } from './deposit.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { ifStillOpen } from './provider-errors.ts';
import { writeOnce } from './stripe-calls.ts';

/**
 * The least that a card can pay, in US cents.
 * @see https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
 */
export const LEAST_CHARGE_CENTS = 50;

/**
 * The open payment of a registration's balance with the amount that is due now; created if there is none.
 * Worker and page open the same payment: the parameters under its idempotency key never vary, so that for two
 * concurrent requests Stripe makes one. It has no `setup_future_usage`: Stripe refuses that together with
 * `off_session`.
 * @param record read just now; a payment that was made since then is found by its key
 * @throws {Error} for a registration without a customer
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function openBalance(stripe: Stripe, record: RegistrationRecord): Promise<Stripe.PaymentIntent> {
  const { id, customerId, balance } = record;
  if (!customerId) throw new Error(`${id} has no customer`);
  const isThere = balance && balance.status !== 'cancelled';
  const open = isThere
    ? await stripe.paymentIntents.retrieve(balance.id)
    : await createBalance(stripe, { ...record, customerId });
  return setAmount(stripe, open, record);
}

/** Creates it with the full balance: what the office waives may change, so that is subtracted afterwards. */
function createBalance(
  stripe: Stripe,
  record: RegistrationRecord & { customerId: string },
): Promise<Stripe.PaymentIntent> {
  const { id, edition, customerId: customer, balance: cancelled } = record;
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
  return writeOnce(
    [id, 'balance', number, ...(cancelled ? ['after', cancelled.id] : [])].join('-'),
    (idempotencyKey) => stripe.paymentIntents.create(parameters, { idempotencyKey }),
    async () => {
      const { data } = await stripe.paymentIntents.list({ customer, limit: 100 });
      const own = data.filter((intent) => depositOfBalance(intent) === id && partOf(intent) === number);
      return (
        own.find(({ status }) => status === 'succeeded') ?? own.find(({ status }) => status !== 'canceled')
      );
    },
  );
}

/** Sets the amount that is due and the statement, unless the payment is paid or cancelled. */
function setAmount(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
  record: RegistrationRecord,
): Promise<Stripe.PaymentIntent> | Stripe.PaymentIntent {
  const { facts } = record.edition;
  const due = balanceOfRecord(record);
  const isRight = intent.amount === due.byCardCents && hasStatement(intent, facts);
  if (intent.status === 'succeeded' || intent.status === 'canceled' || isRight) return intent;
  const metadata = ownMarksOfBalance(facts, record.id, due, partNumber(record));
  return stripe.paymentIntents.update(intent.id, {
    amount: due.byCardCents,
    ...statementOf(facts),
    metadata,
  });
}

/** Whether an open payment must not be paid as it is, see `fitBalance`. */
export function isToBeFitted(record: RegistrationRecord): boolean {
  return staleBalances(record).length > 0 || isDepositCovered(record);
}

/** The open payments of parts that she does not owe, or not by card, or not with this sum. */
function staleBalances(record: RegistrationRecord): readonly BalancePayment[] {
  const isByCard = !owesNothing(record) && !isRestByCheck(record);
  const owed = isByCard ? partsOf(record) : [];
  return openBalances(record).filter(
    ({ id, cents }) =>
      !owed.some((part) => part.balance?.id === id && balanceOfRecord(part).byCardCents === cents),
  );
}

/** The payments of the balance, and of parts of it, that can still be paid. */
export function openBalances(record: RegistrationRecord): readonly BalancePayment[] {
  return balancesOf(record).filter(({ status }) => status === 'open');
}

/** Whether the payment of a deposit is open although it was paid in another way. */
function isDepositCovered({ deposit, isDepositOpen }: RegistrationRecord): boolean {
  return deposit === 'paid' && isDepositOpen === true;
}

/**
 * Cancels the open payment of a balance if it does not match what is left to pay, and that of a deposit that was paid in
 * another way, so that a registrant whose page is still open does not pay what she does not owe. A new payment is made
 * when needed. A payment that was paid meanwhile stays paid.
 * @returns whether it cancelled a payment now
 */
export async function fitBalance(records: Records, depositId: string): Promise<boolean> {
  const record = await findRegistration(records, depositId);
  if (!record) return false;
  const isFitted = isDepositCovered(record) && (await cancel(records.stripe, record.id));
  return (await cancelAll(records.stripe, staleBalances(record))).includes(true) || isFitted;
}

/**
 * Cancels the open payments of a balance and of its parts.
 * @returns the registration; read again if one was paid meanwhile
 */
export async function cancelOpenBalances(
  records: Records,
  depositId: string,
): Promise<RegistrationRecord | undefined> {
  const record = await findRegistration(records, depositId);
  const cancelled = record ? await cancelAll(records.stripe, openBalances(record)) : [];
  return cancelled.includes(false) ? findRegistration(records, depositId) : record;
}

/** One after the other. @returns of each whether it was cancelled now */
async function cancelAll(stripe: Stripe, balances: readonly BalancePayment[]): Promise<boolean[]> {
  const cancelled: boolean[] = [];
  for (const { id } of balances) cancelled.push(await cancel(stripe, id));
  return cancelled;
}

async function cancel(stripe: Stripe, id: string): Promise<boolean> {
  return (await ifStillOpen(stripe.paymentIntents.cancel(id))) !== undefined;
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
