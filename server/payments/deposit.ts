import { timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import type { Transaction } from '#server/database/engine.ts';
import { rowsWith } from '#server/database/read-rows.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import { lettersOwed } from '#server/record/deposit-letters.ts';
import { type Register, readOnRecord } from '#server/record/on-record.ts';
import { withPayments } from '#server/record/payment-on-record.ts';
import { readRecord } from '#server/record/read-record.ts';
import { isDeposit, isPaidInFull, ownMarks } from '#server/record/recognise-deposit.ts';
import { RECORD_EXPANSION, type RegistrationRecord } from '#server/record/registration-record.ts';
import { comparableName, type Deposit, findRow, secretDigest } from '#server/record/registrations.ts';
import type { Facts } from '#shared/content/edition.ts';
import { dialledNumber } from '#shared/phone-number.ts';
import type { Contact } from '#shared/registration.ts';
import type { Records } from './find-registration.ts';
import { readPayments } from './record-payments.ts';
import { refused } from './refusals.ts';
import { retrieveIntent } from './stripe-calls.ts';

/** The longest phone number Stripe keeps with a customer; the register holds it as it was typed. */
const CUSTOMER_PHONE_LENGTH = 20;

/** The deposit's PaymentIntent, as far as this site needs it. */
export interface DepositPayment {
  id: string;
  clientSecret: string;
  /** What it charges, in US cents. */
  amountCents: number;
  /** The letters that are due now. */
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

/** What the payment of a registration says, at today's price: nothing personal but the address of Stripe's receipt. */
export function intentDetailsOf(
  { contact, facts }: Pick<Deposit, 'contact' | 'facts'>,
  registration: string,
) {
  return {
    amount: facts.prices.depositCents,
    description: facts.retreatPackage.description,
    receipt_email: contact.email,
    ...statementOf(facts),
    metadata: { ...ownMarks(facts), registration },
  };
}

/** How the statement of her card names a charge of the edition, beside the account's own name. */
export function statementOf({ statementSuffix }: Facts): { statement_descriptor_suffix?: string } {
  return statementSuffix === undefined ? {} : { statement_descriptor_suffix: statementSuffix };
}

/** Whether a payment has the edition's statement; one that the edition took back since may stay. */
export function hasStatement(intent: Stripe.PaymentIntent, { statementSuffix }: Facts): boolean {
  return statementSuffix === undefined || intent.statement_descriptor_suffix === statementSuffix;
}

/** The intent, which must be on record, as this site needs it. */
export async function paymentOf(records: Register, intent: Stripe.PaymentIntent): Promise<DepositPayment> {
  const { id, client_secret: clientSecret, amount: amountCents } = intent;
  if (!clientSecret) throw new Error(`Stripe gave ${id} without a client secret`);
  const onRecord = await readOnRecord(records, id);
  return { id, clientSecret, amountCents, letters: lettersOwed(onRecord) };
}

/**
 * The registration whose deposit a client secret proves to be the caller's, from the register alone: an invented secret
 * has nothing read at Stripe. Compares in constant time.
 * @throws {AppError} when it opens no deposit of this site
 */
export async function findOwn({ database }: Register, clientSecret: string): Promise<RegistrationRow> {
  const id = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  const row = await database.read((transaction) => findRow(transaction, id));
  const kept = row?.secretDigest;
  const isHers = kept && timingSafeEqual(Buffer.from(kept), Buffer.from(secretDigest(clientSecret)));
  if (!isHers) throw refused('registration_not_found');
  return row;
}

/** The deposit of the caller's own registration, as Stripe has it now. */
export async function readOwn(
  { stripe }: Pick<Records, 'stripe'>,
  { deposit }: RegistrationRow,
  expand: readonly string[] = [],
): Promise<Stripe.PaymentIntent> {
  const intent = deposit === null ? undefined : await retrieveIntent(stripe, deposit, expand);
  if (!intent || !isDeposit(intent)) throw refused('registration_not_found');
  return intent;
}

/** The registration of a deposit that a client secret proves to be the caller's; undefined while it is not paid. */
export async function findOwnPaid(
  records: Records,
  clientSecret: string,
): Promise<RegistrationRecord | undefined> {
  const intent = await readOwn(records, await findOwn(records, clientSecret), RECORD_EXPANSION);
  if (!isPaidInFull(intent)) return undefined;
  const onRecord = await readOnRecord(records, intent.id);
  return readRecord(withPayments(onRecord, await readPayments(records.stripe, [intent])));
}

/** The registrations with a place in an edition at an e-mail address, but for one's own. */
export async function otherPlacesAt(
  transaction: Transaction,
  email: string,
  edition: string,
  own: string | undefined,
) {
  const rows = await rowsWith(transaction, 'registrations', 'address', [email.toLowerCase()]);
  return rows.filter((row) => row.edition === edition && row.standing === 'taken' && row.id !== own);
}

/** Who registers for what, from which browser, and whether she said that this is somebody else. */
type Registering = Pick<Deposit, 'contact' | 'somebodyElse' | 'facts' | 'openPage'>;

/**
 * Whether the address has a place in this edition, as far as the register knows. Who registers is told so only in mail to
 * the address, unless her browser shows that the mailbox is hers: it has the page of a place at this address open.
 * @param own the registration that asks, if it is on record
 * @throws {AppError} when such a browser registers the name of a place there, and nobody said that this is somebody else
 */
export async function findPlace(
  { database }: Register,
  { contact, somebodyElse, facts, openPage }: Registering,
  own?: string,
): Promise<boolean> {
  const others = await database.read((transaction) =>
    otherPlacesAt(transaction, contact.email, facts.id, own),
  );
  const isHerMailbox = others.some(
    ({ deposit, linksEpoch }) => deposit === openPage?.deposit && linksEpoch === openPage?.epoch,
  );
  const person = comparableName(contact);
  if (isHerMailbox && !somebodyElse && others.some((row) => row.person === person))
    throw refused('registered_before');
  return others.length > 0;
}
