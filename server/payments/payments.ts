import Stripe from 'stripe';
import { dollarsToCents } from '#shared/money.ts';
import type { Contact } from '#shared/registration.ts';
import type { RetreatPackage } from '#shared/retreat-package.ts';
import { type PaymentEvent, paymentEventOf } from './payment-event.ts';
import { invalidSignature, notYours, toAppError } from './provider-errors.ts';

/** Stripe's defaults are 80 s and two retries: too long for a visitor who waits. */
const REQUEST_TIMEOUT_MS = 10_000;
const NETWORK_RETRIES = 1;

/** The longest phone number Stripe keeps with a customer; the metadata holds it as it was typed. */
const CUSTOMER_PHONE_LENGTH = 20;

export interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  /** Another API host, or undefined for Stripe's own. */
  apiBase: string | undefined;
}

/** The deposit's PaymentIntent, as far as this site needs it. */
export interface DepositPayment {
  id: string;
  clientSecret: string;
}

export interface Deposit {
  contact: Contact;
  retreatPackage: RetreatPackage;
}

/** Stripe, as this site uses it. Every method throws an AppError when Stripe refuses or cannot be reached. */
export interface Payments {
  /** Makes the customer and the PaymentIntent for a package's deposit; the same key makes them once (R4.5). */
  createDeposit(deposit: Deposit, idempotencyKey: string): Promise<DepositPayment>;
  /**
   * Writes edited contact details to the customer and intent that the client secret proves to be the caller's;
   * what is paid stays as it was paid.
   */
  updateDeposit(deposit: Deposit, clientSecret: string): Promise<DepositPayment>;
  /** The event of a webhook request, checked against its signature. */
  readEvent(rawBody: Buffer, signature: string): PaymentEvent;
}

/** Connects to Stripe (or to another host that speaks its API). Opens no connection by itself. */
export function createPayments(settings: StripeSettings): Payments {
  const stripe = new Stripe(settings.secretKey, {
    timeout: REQUEST_TIMEOUT_MS,
    maxNetworkRetries: NETWORK_RETRIES,
    telemetry: false,
    ...hostOf(settings.apiBase),
  });
  return {
    createDeposit: (deposit, key) => createDeposit(stripe, deposit, key).catch(toAppError),
    updateDeposit: (deposit, secret) => updateDeposit(stripe, deposit, secret).catch(toAppError),
    readEvent: (rawBody, signature) => readEvent(stripe, rawBody, signature, settings.webhookSecret),
  };
}

function hostOf(apiBase: string | undefined): Stripe.StripeConfig {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const secure = protocol === 'https:';
  return { host: hostname, port: port || (secure ? 443 : 80), protocol: secure ? 'https' : 'http' };
}

async function createDeposit(
  stripe: Stripe,
  deposit: Deposit,
  idempotencyKey: string,
): Promise<DepositPayment> {
  const customer = await stripe.customers.create(customerOf(deposit.contact), {
    idempotencyKey: `${idempotencyKey}-customer`,
  });
  const intent = await stripe.paymentIntents.create(
    {
      amount: dollarsToCents(deposit.retreatPackage.deposit),
      currency: 'usd',
      customer: customer.id,
      description: deposit.retreatPackage.description,
      setup_future_usage: 'off_session',
      allowed_payment_method_types: ['card'],
      ...detailsOf(deposit),
    },
    { idempotencyKey: `${idempotencyKey}-intent` },
  );
  return paymentOf(intent);
}

async function updateDeposit(
  stripe: Stripe,
  deposit: Deposit,
  clientSecret: string,
): Promise<DepositPayment> {
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  const intent = await stripe.paymentIntents.retrieve(id);
  if (intent.client_secret !== clientSecret) throw notYours();
  if (intent.status === 'succeeded') return paymentOf(intent);
  const customerId = typeof intent.customer === 'string' ? intent.customer : intent.customer?.id;
  if (customerId) await stripe.customers.update(customerId, customerOf(deposit.contact));
  return paymentOf(await stripe.paymentIntents.update(id, detailsOf(deposit)));
}

function customerOf(contact: Contact) {
  return {
    name: `${contact.firstName} ${contact.lastName}`,
    email: contact.email,
    phone: contact.phoneNumber.replace(/[^\d+]/g, '').slice(0, CUSTOMER_PHONE_LENGTH),
  };
}

function detailsOf({ contact, retreatPackage }: Deposit) {
  return { receipt_email: contact.email, metadata: { ...contact, package: retreatPackage.id } };
}

function paymentOf(intent: Stripe.PaymentIntent): DepositPayment {
  if (!intent.client_secret) throw new Error(`Stripe gave ${intent.id} without a client secret`);
  return { id: intent.id, clientSecret: intent.client_secret };
}

function readEvent(stripe: Stripe, rawBody: Buffer, signature: string, secret: string): PaymentEvent {
  let event: Stripe.Event;
  try {
    event = stripe.webhooks.constructEvent(rawBody, signature, secret);
  } catch (error) {
    throw invalidSignature(error);
  }
  return paymentEventOf(event);
}
