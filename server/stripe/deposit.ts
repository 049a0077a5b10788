import { timingSafeEqual } from 'node:crypto';
import Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import { lettersOwed } from '#server/registration/deposit-letters.ts';
import { type Register, readOnRecord } from '#server/registration/on-record.ts';
import { readRecord } from '#server/registration/read-record.ts';
import { refused } from '#server/registration/refusals.ts';
import { RECORD_EXPANSION, type RegistrationRecord } from '#server/registration/registration-record.ts';
import {
  type Deposit,
  detailsDigest,
  findRow,
  hasDetails,
  namesOf,
  newRow,
  personColumns,
  type RegistrationKey,
  secretDigest,
} from '#server/registration/registrations.ts';
import type { Facts } from '#shared/content/edition.ts';
import { dialledNumber } from '#shared/mail-and-phone.ts';
import type { Contact } from '#shared/registration.ts';
import { STORING } from './cards.ts';
import type { Records } from './find-registration.ts';
import {
  isDeposit,
  isFor,
  isPaidInFull,
  isUnpaid,
  ownMarks,
  readPayment,
  withPayments,
} from './payment-at-stripe.ts';
import { readPayments, writePayments } from './record-payments.ts';
import { depositClosed, inTurn, isReplayed, isUnexpectedState, retrieveIntent } from './stripe-calls.ts';

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

/**
 * Holds a place for a registration, and records the registration in the transaction that finds the place.
 * @throws {AppError} when there is none
 */
export type HoldPlace = (record: RecordHeld) => Promise<void>;
export type RecordHeld = (transaction: Transaction, held: { at: Date; until: Date }) => Promise<void>;

type Registration = Deposit & { key: RegistrationKey };

/**
 * Registers somebody: records her, and makes her customer and the PaymentIntent of her deposit, once for the key (R4.5). A
 * request with the details that the registration has now, or had at first, finds it and changes it to them. Of two
 * concurrent requests, Stripe carries out one.
 * @throws {AppError} when the key was used with other details, and when the payment of the key was closed
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function createDeposit(
  records: Records,
  deposit: Deposit,
  key: RegistrationKey,
  hold: HoldPlace,
): Promise<DepositPayment> {
  const registration = { ...deposit, key };
  const [own] = await findNamed(records, registration);
  if (own) return goOnWith(records, own, registration, hold);
  const letterWaits = (await registration.admitLetter()) ? 0 : 1;
  await hold(async (transaction, { at: begunAt, until: heldUntil }) => {
    const row = newRow(registration, { begunAt, heldUntil, letterWaits });
    await transaction
      .insertInto('registrations')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  });
  const [begun] = await findNamed(records, registration);
  if (!begun) throw new Error('A registration is gone that was recorded just now');
  return goOnWith(records, begun, registration);
}

/** The registrations under the names of a key, the present one first. */
async function findNamed({ database }: Records, { key }: Registration): Promise<RegistrationRow[]> {
  const names = namesOf(key);
  const rows = await database.read((transaction) => rowsWith(transaction, 'registrations', 'id', names));
  return rows.toSorted((one, other) => names.indexOf(one.id) - names.indexOf(other.id));
}

/** Goes on with a registration if the details are its present or its first ones. */
async function goOnWith(
  records: Records,
  row: RegistrationRow,
  registration: Registration,
  hold?: HoldPlace,
): Promise<DepositPayment> {
  const isKnown = hasDetails(row, registration) || row.begunWith === detailsDigest(registration);
  if (row.deposit === null) {
    if (!isKnown) throw refused('registration_changed');
    await hold?.(async () => {});
    return makeDeposit(records, row, registration);
  }
  const intent = await retrieveIntent(records.stripe, row.deposit);
  if (!intent || !isDeposit(intent)) throw refused('registration_not_found');
  if (!isKnown)
    throw intent.status === 'succeeded' ? refused('already_paid') : refused('registration_changed');
  if (isUnpaid(intent)) await hold?.(async () => {});
  return bringUpToDate(records, row, intent, registration);
}

/** Makes customer and payment of a registration that has none yet, and records them. */
async function makeDeposit(
  { stripe, database }: Records,
  { id }: RegistrationRow,
  registration: Registration,
): Promise<DepositPayment> {
  const { contact, key } = registration;
  const customer = await makeOnce(
    `${key.value}-customer`,
    (idempotencyKey) =>
      stripe.customers.create({ ...customerOf(contact), metadata: { registration: id } }, { idempotencyKey }),
    async () => {
      const { data } = await stripe.customers.list({ email: contact.email.toLowerCase(), limit: 100 });
      return data.find(({ metadata }) => metadata.registration === id);
    },
  );
  const parameters: Stripe.PaymentIntentCreateParams = {
    ...intentDetailsOf(registration, id),
    currency: 'usd',
    customer: customer.id,
    setup_future_usage: 'off_session',
    allowed_payment_method_types: ['card'],
    payment_method_options: STORING,
  };
  const intent = await makeOnce(
    `${key.value}-intent`,
    (idempotencyKey) => stripe.paymentIntents.create(parameters, { idempotencyKey }),
    async () => {
      const { data } = await stripe.paymentIntents.list({ customer: customer.id, limit: 100 });
      return data.find(isDeposit);
    },
  );
  const { client_secret: secret } = intent;
  const made = { customer: customer.id, deposit: intent.id, secretDigest: secret && secretDigest(secret) };
  const details = personColumns({ ...contact, timeZone: registration.timeZone });
  const payment = readPayment(intent);
  await database.write(async (transaction) => {
    const { numUpdatedRows: isNew } = await transaction
      .updateTable('registrations')
      .set({ ...made, ...details })
      .where('id', '=', id)
      .where('deposit', 'is', null)
      .executeTakeFirstOrThrow();
    if (isNew && payment) await writePayments(transaction, [payment]);
  });
  return paymentOf({ database }, intent);
}

/**
 * Stripe saves a 500 under the key like any other answer, and replays it for a day, whether or not it had
 * made the object. So if the object is not there, it is made under a second key.
 */
async function makeOnce<Made>(
  key: string,
  make: (key: string) => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  try {
    return await inTurn(() => make(key));
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeAPIError && isReplayed(error))) throw error;
    return (await find()) ?? inTurn(() => make(`${key}-again`));
  }
}

/**
 * Changes a registration, its customer and its payment to the details of a submit, at today's price. What is paid, or
 * being paid, stays as it is.
 * @throws {AppError} when it was closed, or paid for another address
 */
async function bringUpToDate(
  records: Records,
  row: RegistrationRow,
  intent: Stripe.PaymentIntent,
  deposit: Deposit,
): Promise<DepositPayment> {
  const { stripe, database } = records;
  if (intent.status === 'canceled') throw depositClosed(intent);
  const { email } = deposit.contact;
  const isSameAddress = row.address === email.toLowerCase();
  if (!isUnpaid(intent)) {
    if (!isSameAddress) throw refused('already_paid');
    return paymentOf(records, intent);
  }
  const letterWaits = isSameAddress ? undefined : (await deposit.admitLetter()) ? 0 : 1;
  const { amount, ...details } = intentDetailsOf(deposit, row.id);
  const isSameAtStripe =
    hasDetails(row, deposit) &&
    amount === intent.amount &&
    details.description === intent.description &&
    hasStatement(intent, deposit.facts);
  let updated = intent;
  if (!isSameAtStripe) {
    const changes = { ...details, ...(amount !== intent.amount && { amount }) };
    try {
      updated = await stripe.paymentIntents.update(intent.id, changes);
    } catch (error) {
      if (!isUnexpectedState(error)) throw error;
      // It was paid or cancelled meanwhile.
      const now = await stripe.paymentIntents.retrieve(intent.id);
      if (isUnpaid(now)) throw error;
      return bringUpToDate(records, row, now, deposit);
    }
    if (row.customer) await stripe.customers.update(row.customer, customerOf(deposit.contact));
  }
  const payment = updated === intent ? undefined : readPayment(updated);
  await database.write(async (transaction) => {
    await transaction
      .updateTable('registrations')
      .set({
        ...personColumns({ ...deposit.contact, timeZone: deposit.timeZone }),
        ...(letterWaits !== undefined && { letterWaits }),
      })
      .where('id', '=', row.id)
      .where('forgottenAt', 'is', null)
      // Her details were removed when it was ended meanwhile.
      .where('address', '!=', '')
      .execute();
    await noteChange(transaction, intent.id);
    if (payment) await writePayments(transaction, [payment]);
  });
  return paymentOf(records, updated);
}

/**
 * Updates the caller's own registration: contact details, price and package. One that is paid, or being paid, stays as it
 * is.
 * @param onRead is called with the registration if it is still to be paid, and awaited before anything is written
 * @throws {AppError} when its deposit was closed, or paid for another address
 */
export async function updateDeposit(
  records: Records,
  row: RegistrationRow,
  deposit: Deposit,
  onRead: (registration?: string) => Promise<void>,
): Promise<DepositPayment> {
  const intent = await readOwn(records, row);
  if (!isFor(intent, deposit.facts)) throw refused('registration_not_found');
  await onRead(isUnpaid(intent) ? row.id : undefined);
  return bringUpToDate(records, row, intent, deposit);
}

/** The same for a deposit that is known to be the caller's, unless it is paid, being paid or cancelled. */
export async function continueDeposit(
  records: Records,
  id: string,
  deposit: Deposit,
): Promise<DepositPayment | 'paid' | 'closed'> {
  const [intent, row] = await Promise.all([
    retrieveIntent(records.stripe, id),
    records.database.read((transaction) => findRow(transaction, id)),
  ]);
  if (!intent || !row || intent.status === 'canceled') return 'closed';
  if (!isUnpaid(intent)) return 'paid';
  return bringUpToDate(records, row, intent, deposit);
}
