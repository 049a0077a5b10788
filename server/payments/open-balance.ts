import type Stripe from 'stripe';
import { balanceOf } from '#shared/content/tuition.ts';
import { balanceInForce, balancesOf } from './balance-payment.ts';
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
  const open = balance
    ? await stripe.paymentIntents.retrieve(balance.id)
    : await createBalance(stripe, { ...record, customerId });
  return setAmount(stripe, open, record);
}

/** With the whole balance: what the office waives may change, so it is taken off afterwards. */
function createBalance(
  stripe: Stripe,
  { id, edition, customerId: customer, cancelledBalances }: RegistrationRecord & { customerId: string },
): Promise<Stripe.PaymentIntent> {
  const { facts } = edition;
  const whole = balanceOf(facts);
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

/** Whether an open payment of the balance must not be paid as it is: nothing is left to pay, or another sum. */
export function isOpenInVain(record: RegistrationRecord): boolean {
  const { balance } = record;
  if (!balance || balance.status === 'paid') return false;
  return owesNothing(record) || balance.cents !== balanceOfRecord(record).byCardCents;
}

/**
 * Makes the open payment of a balance fit what was decided, so that nobody pays what is not owed, whoever has it open:
 * cancels it where nothing is left to pay, else sets its amount. One that was paid in this moment stays paid.
 * @returns whether it did so now
 */
export async function fitBalance(stripe: Stripe, depositId: string): Promise<boolean> {
  const record = await findRegistration(stripe, depositId);
  if (!record?.balance || !isOpenInVain(record)) return false;
  const { id } = record.balance;
  try {
    if (owesNothing(record)) await stripe.paymentIntents.cancel(id);
    else await setAmount(stripe, await stripe.paymentIntents.retrieve(id), record);
    return true;
  } catch (error) {
    if (isUnexpectedState(error)) return false;
    throw error;
  }
}
