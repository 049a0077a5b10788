import type Stripe from 'stripe';
import { balanceOf } from '#shared/content/tuition.ts';
import { balanceInForce, balancesOf } from './balance-payment.ts';
import { ownMarksOfBalance } from './recognise-deposit.ts';
import { balanceOfRecord, type RegistrationRecord } from './registration-record.ts';

/**
 * The open payment of a registration's balance, made if there is none, with the amount that is due now. Worker and page
 * open the same one: the payments of the customer are looked through first, and parameters under its key never vary, so
 * that of two who come at once Stripe makes one. Its card is not set up again: that is refused together with `off_session`.
 * @throws {Error} for a registration without a customer
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function openBalance(stripe: Stripe, record: RegistrationRecord): Promise<Stripe.PaymentIntent> {
  const { id, edition, customerId } = record;
  if (!customerId) throw new Error(`${id} has no customer`);
  const { data } = await stripe.paymentIntents.list({ customer: customerId, limit: 100 });
  const balances = balancesOf(data, id);
  const cancelled = balances.filter(({ status }) => status === 'canceled').length;
  const open =
    balanceInForce(balances) ?? (await createBalance(stripe, { ...record, customerId }, cancelled));
  const due = balanceOfRecord(record);
  if (open.status === 'succeeded' || open.amount === due.byCardCents) return open;
  const metadata = ownMarksOfBalance(edition.facts, id, due);
  return stripe.paymentIntents.update(open.id, { amount: due.byCardCents, metadata });
}

/** With the whole balance: what the office waives may change, so it is taken off afterwards. */
function createBalance(
  stripe: Stripe,
  { id, edition, customerId: customer }: RegistrationRecord & { customerId: string },
  cancelled: number,
): Promise<Stripe.PaymentIntent> {
  const { facts } = edition;
  const whole = balanceOf(facts);
  return stripe.paymentIntents.create(
    {
      amount: whole.byCardCents,
      currency: 'usd',
      customer,
      description: facts.retreatPackage.title,
      allowed_payment_method_types: ['card'],
      metadata: ownMarksOfBalance(facts, id, whole),
    },
    { idempotencyKey: `${id}-balance-${cancelled}` },
  );
}
