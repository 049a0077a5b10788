import type Stripe from 'stripe';
import { depositOfBalance } from '#server/record/balance-payment.ts';
import { ownMarksOfBalance } from '#server/record/recognise-deposit.ts';
import {
  balanceOfRecord,
  balanceTermsOf,
  type RegistrationRecord,
} from '#server/record/registration-record.ts';
import { owesNothing } from '#server/record/registration-state.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { isUnexpectedState } from './provider-errors.ts';
import { writeOnce } from './write-once.ts';

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
  const { id, edition, customerId: customer, cancelledBalances } = record;
  const { facts } = edition;
  const whole = balanceOf(balanceTermsOf(record));
  const parameters: Stripe.PaymentIntentCreateParams = {
    amount: whole.byCardCents,
    currency: 'usd',
    customer,
    description: facts.retreatPackage.title,
    allowed_payment_method_types: ['card'],
    metadata: ownMarksOfBalance(facts, id, whole),
  };
  return writeOnce(
    `${id}-balance-${cancelledBalances}`,
    (idempotencyKey) => stripe.paymentIntents.create(parameters, { idempotencyKey }),
    async () => {
      const { data } = await stripe.paymentIntents.list({ customer, limit: 100 });
      const own = data.filter((intent) => depositOfBalance(intent) === id);
      return (
        own.find(({ status }) => status === 'succeeded') ?? own.find(({ status }) => status !== 'canceled')
      );
    },
  );
}

/** Sets the amount that is due, unless the payment is paid or cancelled. */
function setAmount(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
  record: RegistrationRecord,
): Promise<Stripe.PaymentIntent> | Stripe.PaymentIntent {
  const due = balanceOfRecord(record);
  if (intent.status === 'succeeded' || intent.status === 'canceled' || intent.amount === due.byCardCents) {
    return intent;
  }
  const metadata = ownMarksOfBalance(record.edition.facts, record.id, due);
  return stripe.paymentIntents.update(intent.id, { amount: due.byCardCents, metadata });
}

/** Whether an open payment of the balance must not be paid as it is: she owes nothing, nothing by card, or another sum. */
export function isBalanceStale(record: RegistrationRecord): boolean {
  const { balance, decisions } = record;
  if (balance?.status !== 'open') return false;
  const isByCard = !owesNothing(record) && !decisions.check;
  return !isByCard || balance.cents !== balanceOfRecord(record).byCardCents;
}

/** Whether the payment of a deposit is open although it was paid in another way. */
export function isDepositCovered({ deposit, isDepositOpen }: RegistrationRecord): boolean {
  return deposit === 'paid' && isDepositOpen === true;
}

/**
 * Cancels the open payment of a balance if it does not match what is left to pay, and that of a deposit that was paid in
 * another way, so that a registrant whose page is still open does not pay what she does not owe. A new payment is made when needed. A payment that
 * was paid meanwhile stays paid.
 * @returns whether it cancelled a payment now
 */
export async function fitBalance(records: Records, depositId: string): Promise<boolean> {
  const record = await findRegistration(records, depositId);
  if (!record) return false;
  const isFitted = isDepositCovered(record) && (await cancel(records.stripe, record.id));
  if (!record.balance || !isBalanceStale(record)) return isFitted;
  return (await cancel(records.stripe, record.balance.id)) || isFitted;
}

/**
 * Cancels the open payment of a balance, if there is one.
 * @returns the registration; read again if its balance was paid meanwhile
 */
export async function cancelOpenBalance(
  records: Records,
  depositId: string,
): Promise<RegistrationRecord | undefined> {
  const record = await findRegistration(records, depositId);
  if (record?.balance?.status !== 'open') return record;
  return (await cancel(records.stripe, record.balance.id)) ? record : findRegistration(records, depositId);
}

async function cancel(stripe: Stripe, id: string): Promise<boolean> {
  try {
    await stripe.paymentIntents.cancel(id);
    return true;
  } catch (error) {
    if (isUnexpectedState(error)) return false;
    throw error;
  }
}
