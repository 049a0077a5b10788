import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { RegistrationMail } from '#server/mail/job.ts';
import type { Facts } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { lettersOwed } from './deposit-letters.ts';
import { ownMarks } from './recognise-deposit.ts';

/** The longest phone number Stripe keeps with a customer; the metadata holds it as it was typed. */
const CUSTOMER_PHONE_LENGTH = 20;

/** In the metadata: the waiting customer who was offered the place. */
export const OFFER_MARK = 'offer';

/** Who pays the deposit of which edition. */
export interface Deposit {
  contact: Contact;
  facts: Facts;
  /** The registrant's own, by its IANA name, or ''. */
  timeZone: string;
  /** Whether she was asked, and said that somebody else paid under this name and address. */
  somebodyElse: boolean;
  /** The waiting customer to whom a place was offered. */
  offer?: string | undefined;
}

/** Whose place it is that a payment is for, in the count of an edition's places. */
export interface DepositPlace {
  facts: Facts;
  /** The registration's name, see `registrationName`. */
  registration: string;
  offer?: string;
  begunAt: Date;
}

/** The deposit's PaymentIntent, as far as this site needs it. */
export interface DepositPayment {
  id: string;
  clientSecret: string;
  /** What it charges, in US cents. */
  amountCents: number;
  /** The letters that are due now, by what stands with the payment. */
  letters: readonly RegistrationMail[];
}

/** The registrant as Stripe's customer. Its address is in lower case, for the filter of lists tells cases apart. */
export function customerOf({ firstName, lastName, email, phoneNumber }: Contact) {
  return {
    name: `${firstName} ${lastName}`,
    email: email.toLowerCase(),
    phone: diallable(phoneNumber),
  };
}

/** Without separators and extension. */
function diallable(phoneNumber: string): string {
  const [number = ''] = phoneNumber.split(/[x#e]/i);
  return number.replace(/[^\d+]/g, '').slice(0, CUSTOMER_PHONE_LENGTH);
}

/** What the intent says of the registration: the contact details as they were typed, the package and its price. */
export function detailsOf({ contact, facts, timeZone, offer }: Deposit) {
  return {
    amount: facts.prices.depositCents,
    description: facts.retreatPackage.description,
    receipt_email: contact.email,
    metadata: { ...contact, ...ownMarks(facts), timeZone, ...(offer && { [OFFER_MARK]: offer }) },
  };
}

/** Whether an intent says and charges just this already. Stripe keeps no empty values. */
export function saysTheSame({ metadata, amount }: Stripe.PaymentIntent, deposit: Deposit): boolean {
  const { metadata: wanted, ...details } = detailsOf(deposit);
  const same = Object.entries(wanted).every(([name, value]) => (metadata[name] ?? '') === value);
  return same && amount === details.amount;
}

/**
 * Digest of the details that a payment was made with, to recognise them after edits. The visitor's address on the
 * network is not part of it.
 */
export function detailsDigest({ contact, facts }: Deposit): string {
  const { firstName, lastName, email, phoneNumber } = contact;
  const details = [firstName, lastName, email.toLowerCase(), phoneNumber, facts.retreatPackage.id];
  return createHash('sha256').update(JSON.stringify(details)).digest('hex');
}

/** By what stands with the payment. One of an older release has no name: then the payment's id is it. */
export function placeOfDeposit(
  { id, metadata, created }: Pick<Stripe.PaymentIntent, 'id' | 'metadata' | 'created'>,
  facts: Facts,
): DepositPlace {
  const { registration = id, [OFFER_MARK]: offer } = metadata;
  return { facts, registration, ...(offer && { offer }), begunAt: new Date(created * 1000) };
}

/** The intent as this site needs it. */
export function paymentOf(intent: Stripe.PaymentIntent): DepositPayment {
  const { id, client_secret: clientSecret, amount: amountCents } = intent;
  if (!clientSecret) throw new Error(`Stripe gave ${id} without a client secret`);
  return { id, clientSecret, amountCents, letters: lettersOwed(intent) };
}

/** What makes repeated submits one registration (R4.5). */
export interface RegistrationKey {
  /** The idempotency key: the browser's, or one that the server made of the details. */
  value: string;
  /** For the server's own: what it would have made shortly before. */
  before?: string;
}

/**
 * Names a registration at Stripe and in Redis, by its idempotency key's digest: the key itself, like a payment's
 * client secret, gives access to the registration.
 */
export function registrationName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
