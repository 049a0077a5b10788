import type Stripe from 'stripe';
import { balanceOf } from '#shared/content/tuition.ts';
import { balanceInForce, balancesOf, triesMarksOf } from './balance-payment.ts';
import { findRegistration } from './find-registration.ts';
import { isUnexpectedState } from './provider-errors.ts';
import { ownMarksOfBalance } from './recognise-deposit.ts';
import { balanceOfRecord, type RegistrationRecord } from './registration-record.ts';
import { owesNothing } from './registration-state.ts';
import { writeOnce } from './write-once.ts';

/**
 * The open payment of a registration's balance, made if there is none, with the amount that is due now. Worker and page
 * open the same one: parameters under its key never vary, so that of two who come at once Stripe makes one. Its card is not
 * set up again: that is refused together with `off_session`.
 * @param record read just now; a payment that was made since is found by its key
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

/**
 * With the whole balance: what the office waives may change, so it is taken off afterwards. What was tried before stands
 * with a cancelled payment, which no one can change any more.
 */
function createBalance(
  stripe: Stripe,
  {
    id,
    edition,
    customerId: customer,
    balance,
    cancelledBalances,
  }: RegistrationRecord & { customerId: string },
): Promise<Stripe.PaymentIntent> {
  const { facts } = edition;
  const whole = balanceOf(facts);
  const parameters: Stripe.PaymentIntentCreateParams = {
    amount: whole.byCardCents,
    currency: 'usd',
    customer,
    description: facts.retreatPackage.title,
    allowed_payment_method_types: ['card'],
    metadata: { ...ownMarksOfBalance(facts, id, whole), ...(balance && triesMarksOf(balance)) },
  };
  return writeOnce(
    `${id}-balance-${cancelledBalances}`,
    (idempotencyKey) => stripe.paymentIntents.create(parameters, { idempotencyKey }),
    async () => {
      const { data } = await stripe.paymentIntents.list({ customer, limit: 100 });
      return balanceInForce(balancesOf(data, id));
    },
  );
}

/** What is paid or cancelled keeps its amount. */
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
export function isOpenInVain(record: RegistrationRecord): boolean {
  const { balance, decisions } = record;
  if (balance?.status !== 'open') return false;
  const isByCard = !owesNothing(record) && !decisions.check;
  return !isByCard || balance.cents !== balanceOfRecord(record).byCardCents;
}

/**
 * Cancels the open payment of a balance if it is not what is left to pay, so that nobody pays what is not owed on a
 * page that is still open. The next one is made when it is needed. One that was paid in this moment stays paid.
 * @returns whether it did so now
 */
export async function fitBalance(stripe: Stripe, depositId: string): Promise<boolean> {
  const record = await findRegistration(stripe, depositId);
  if (!record?.balance || !isOpenInVain(record)) return false;
  return cancel(stripe, record.balance.id);
}

/**
 * Cancels the open payment of a balance, if there is one.
 * @returns the registration; when its balance was paid in this moment, as it is since
 */
export async function cancelOpenBalance(
  stripe: Stripe,
  depositId: string,
): Promise<RegistrationRecord | undefined> {
  const record = await findRegistration(stripe, depositId);
  if (record?.balance?.status !== 'open') return record;
  return (await cancel(stripe, record.balance.id)) ? record : findRegistration(stripe, depositId);
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
