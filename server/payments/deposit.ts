import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { RegistrationMail } from '#server/mail/job.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { Facts } from '#shared/content/edition.ts';
import { dialledNumber } from '#shared/phone-number.ts';
import type { Contact } from '#shared/registration.ts';
import { lettersOwed } from './deposit-letters.ts';
import { ownMarks } from './recognise-deposit.ts';

/** The longest phone number Stripe keeps with a customer; the metadata holds it as it was typed. */
const CUSTOMER_PHONE_LENGTH = 20;

/** In the metadata: the entry of the waiting list to which the place was offered. */
export const OFFER_MARK = 'offer';

/** The registrant and the edition of a deposit. */
export interface Deposit {
  contact: Contact;
  facts: Facts;
  /** The registrant's time zone, as an IANA name, or ''. */
  timeZone: string;
  /** Whether she was asked, and said that somebody else paid under this name and address. */
  somebodyElse: boolean;
  /** The entry of the waiting list to which a place was offered. */
  offer?: string | undefined;
}

/** The place that a payment is for, in the count of an edition's places. */
export interface DepositPlace {
  facts: Facts;
  /** The registration's name, see `registrationName`. */
  registration: string;
  offer?: string;
  payment: string;
}

/** The deposit's PaymentIntent, as far as this site needs it. */
export interface DepositPayment {
  id: string;
  clientSecret: string;
  /** What it charges, in US cents. */
  amountCents: number;
  /** The letters that are due now, according to the payment's metadata. */
  letters: readonly RegistrationMail[];
}

/**
 * The registrant as Stripe's customer. The address is in lower case, because Stripe's list filter is
 * case-sensitive.
 */
export function customerOf({ firstName, lastName, email, phoneNumber }: Contact) {
  return {
    name: `${firstName} ${lastName}`,
    email: email.toLowerCase(),
    phone: dialledNumber(phoneNumber).slice(0, CUSTOMER_PHONE_LENGTH),
  };
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

/** Whether an intent already has exactly these details and this amount. Stripe keeps no empty values. */
export function saysTheSame({ metadata, amount }: Stripe.PaymentIntent, deposit: Deposit): boolean {
  const { metadata: wanted, ...details } = detailsOf(deposit);
  const same = Object.entries(wanted).every(([name, value]) => (metadata[name] ?? '') === value);
  return same && amount === details.amount;
}

/**
 * Digest of the details that a payment was made with, to recognise them after edits. The visitor's IP address
 * is not part of it.
 */
export function detailsDigest({ contact, facts }: Deposit): string {
  const { firstName, lastName, email, phoneNumber } = contact;
  const details = [firstName, lastName, email.toLowerCase(), phoneNumber, facts.retreatPackage.id];
  return createHash('sha256').update(JSON.stringify(details)).digest('hex');
}

/**
 * The place of a deposit. A payment of an older release has no registration name: its own id is used instead.
 */
export function placeOfDeposit(
  { id, metadata }: Pick<Stripe.PaymentIntent, 'id' | 'metadata'>,
  facts: Facts,
): DepositPlace {
  const { registration = id, [OFFER_MARK]: offer } = metadata;
  return { facts, registration, ...(offer && { offer }), payment: id };
}

/** The intent as this site needs it. */
export async function paymentOf(letterLog: LetterLog, intent: Stripe.PaymentIntent): Promise<DepositPayment> {
  const { id, client_secret: clientSecret, amount: amountCents } = intent;
  if (!clientSecret) throw new Error(`Stripe gave ${id} without a client secret`);
  // Without the register more letters than are owed are named; it knows that when they are added.
  const ended = await letterLog.endedOf(id).catch(() => []);
  return { id, clientSecret, amountCents, letters: lettersOwed(intent, ended) };
}

/** What makes repeated submits one registration (R4.5). */
export interface RegistrationKey {
  /** The idempotency key: the browser's, or one that the server derived from the details. */
  value: string;
  /** For a key from the server: the key that it would have derived in the time window before. */
  before?: string;
}

/**
 * Names a registration at Stripe and in Redis, by its idempotency key's digest: the key itself, like a payment's
 * client secret, gives access to the registration.
 */
export function registrationName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
