import type Stripe from 'stripe';
import {
  customerOf,
  type Deposit,
  type DepositPlace,
  detailsOf,
  placeOfDeposit,
  saysTheSame,
} from './deposit.ts';
import { customersAt, earlierMarks, findPlace, isSomebodyElse } from './earlier-registrations.ts';
import { ownDeposit } from './own-deposit.ts';
import { alreadyPaid, depositClosed, isUnexpectedState, notYours } from './provider-errors.ts';
import { isFor, isUnpaid } from './recognise-deposit.ts';
import { retrieveIntent } from './retrieve-intent.ts';

/**
 * Updates the deposit that a client secret proves to be the caller's: contact details, price and package. A
 * deposit that is paid, or being paid, stays as it is.
 * @param onProven is called once the secret is verified, with the place that is still to be paid for, and
 *   awaited before anything is written
 * @throws {AppError} when the secret opens no deposit of this site, one that was closed, or one that was paid
 *   for another address
 */
export async function updateDeposit(
  stripe: Stripe,
  deposit: Deposit,
  clientSecret: string,
  onProven: (place?: DepositPlace) => Promise<void>,
): Promise<Stripe.PaymentIntent> {
  const intent = await ownDeposit(stripe, clientSecret);
  if (!isFor(intent, deposit.facts)) throw notYours();
  await onProven(isUnpaid(intent) ? placeOfDeposit(intent, deposit.facts) : undefined);
  return bringUpToDate(stripe, intent, deposit, await customersAt(stripe, deposit.contact.email));
}

/** The same for a deposit that is known to be the caller's, unless it is paid, being paid or cancelled. */
export async function continueDeposit(
  stripe: Stripe,
  id: string,
  deposit: Deposit,
): Promise<Stripe.PaymentIntent | 'paid' | 'closed'> {
  const intent = await retrieveIntent(stripe, id);
  if (!intent || intent.status === 'canceled') return 'closed';
  if (!isUnpaid(intent)) return 'paid';
  return bringUpToDate(stripe, intent, deposit, await customersAt(stripe, deposit.contact.email));
}

/**
 * The same for a deposit as it was read.
 * @param customers those with the new address
 */
export async function bringUpToDate(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
  deposit: Deposit,
  customers: readonly Stripe.Customer[],
): Promise<Stripe.PaymentIntent> {
  if (intent.status === 'canceled') throw depositClosed(intent);
  if (intent.status === 'succeeded' || intent.status === 'processing') return asItWasPaid(intent, deposit);

  const customer = typeof intent.customer === 'string' ? intent.customer : intent.customer?.id;
  const others = customers.filter(({ id }) => id !== customer);
  const registrant = { ...deposit, somebodyElse: deposit.somebodyElse || isSomebodyElse(intent, deposit) };
  const addressHasPlace = await findPlace(stripe, others, registrant);
  const { metadata, amount, ...details } = detailsOf(deposit);
  const marks = earlierMarks(addressHasPlace, registrant);
  const unmarked = Object.entries(marks).some(([name, value]) => (intent.metadata[name] ?? '') !== value);
  if (saysTheSame(intent, deposit) && !unmarked) return intent;

  const price = amount === intent.amount ? {} : { amount };
  const changes = { ...details, ...price, metadata: { ...metadata, ...marks } };
  try {
    const updated = await stripe.paymentIntents.update(intent.id, changes);
    if (customer) await stripe.customers.update(customer, customerOf(deposit.contact));
    return updated;
  } catch (error) {
    if (!isUnexpectedState(error)) throw error;
    // It was paid or cancelled meanwhile.
    const now = await stripe.paymentIntents.retrieve(intent.id);
    if (isUnpaid(now)) throw error;
    return bringUpToDate(stripe, now, deposit, customers);
  }
}

function asItWasPaid(intent: Stripe.PaymentIntent, { contact }: Deposit): Stripe.PaymentIntent {
  if (intent.metadata.email?.toLowerCase() !== contact.email.toLowerCase()) throw alreadyPaid();
  return intent;
}
