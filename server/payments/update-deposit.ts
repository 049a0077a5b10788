import type Stripe from 'stripe';
import {
  customerOf,
  type Deposit,
  type DepositPayment,
  detailsOf,
  paymentOf,
  saysTheSame,
} from './deposit.ts';
import { alreadyPaid, depositClosed, isMissing, notYours } from './provider-errors.ts';

/**
 * Writes edited contact details to the customer and intent that the client secret proves to be the caller's.
 * What is paid, or about to be, stays as it is.
 * @throws {AppError} when the secret opens no payment, one that was closed, or one that was paid for another address
 */
export async function updateDeposit(
  stripe: Stripe,
  deposit: Deposit,
  clientSecret: string,
): Promise<DepositPayment> {
  const intent = await retrieve(stripe, clientSecret);
  if (intent.client_secret !== clientSecret) throw notYours();
  if (intent.status === 'canceled') throw depositClosed();
  if (saysTheSame(intent, deposit)) return paymentOf(intent);
  if (intent.status === 'succeeded' || intent.status === 'processing') {
    if (intent.metadata.email !== deposit.contact.email) throw alreadyPaid();
    return paymentOf(intent);
  }

  const customer = typeof intent.customer === 'string' ? intent.customer : intent.customer?.id;
  if (customer) await stripe.customers.update(customer, customerOf(deposit.contact));
  return paymentOf(await stripe.paymentIntents.update(intent.id, detailsOf(deposit)));
}

async function retrieve(stripe: Stripe, clientSecret: string): Promise<Stripe.PaymentIntent> {
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  return stripe.paymentIntents.retrieve(id).catch((error: unknown) => {
    throw isMissing(error) ? notYours() : error;
  });
}
