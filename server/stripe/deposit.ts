import { timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import {
  noteChange,
  type PaymentRow,
  type RegistrationRow,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import type { OwedLetter } from '#server/letters/letter-kind.ts';
import { oweTogether } from '#server/letters/letter-log.ts';
import { firstLetters } from '#server/letters/registration-letters.ts';
import {
  askTodaysPrices,
  type Deposit,
  detailsDigest,
  findDeposit,
  findRegistration,
  type HoldPlace,
  hasDetails,
  idsOf,
  insertRegistration,
  isRefused,
  newRow,
  personColumns,
  type Register,
  type RegistrationKey,
  type RegistrationRecord,
  refused,
  registrationIdOf,
  secretDigest,
} from '#server/registration/registration.ts';
import type { Facts } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { customerFor, customerOf, customerOfHeld } from './customers.ts';
import { isDeposit, isUnpaid, ownMarks, readPayment, registrationOf } from './payment-at-stripe.ts';
import { type Records, recordChange, recordPayment, writePayments } from './record-payments.ts';
import { depositClosed, ifStillOpen, writeOnce } from './stripe-calls.ts';

export interface DepositPayment {
  registration: string;
  clientSecret: string;
  amountCents: number;
  letters: readonly OwedLetter[];
}

function intentDetailsOf({ email }: Pick<Contact, 'email'>, facts: Facts, registration: string) {
  const { depositCents } = facts.prices;
  return {
    amount: depositCents,
    description: facts.retreatPackage.description,
    receipt_email: email,
    ...statementSuffixOf(facts),
    metadata: ownMarks('deposit', facts, registration, { amount: depositCents }),
  };
}

export function statementSuffixOf({ statementSuffix }: Facts): { statement_descriptor_suffix?: string } {
  return statementSuffix === undefined ? {} : { statement_descriptor_suffix: statementSuffix };
}

/** The registration that a client secret proves to be hers: an invented one has nothing read at Stripe. */
export async function findOwn({ database }: Register, clientSecret: string) {
  const payment = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  const row = await database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .innerJoin('payments', 'payments.registration', 'registrations.id')
      .selectAll('registrations')
      .where('payments.id', '=', payment)
      .executeTakeFirst(),
  );
  const kept = row?.secretDigest;
  const isHers = kept && timingSafeEqual(Buffer.from(kept), Buffer.from(secretDigest(clientSecret)));
  if (!isHers) throw refused('registration_not_found');
  return { row, payment };
}

export async function readOwn(records: Records, clientSecret: string) {
  const { row, payment } = await findOwn(records, clientSecret);
  return { row, intent: await readDeposit(records, payment) };
}

async function readDeposit(records: Records, payment: string): Promise<Stripe.PaymentIntent> {
  const intent = await recordPayment(records, payment);
  if (!intent || !isDeposit(intent)) throw refused('registration_not_found');
  return intent;
}

/** Undefined while it is not paid. One not on record as paid is read at Stripe, as the webhook may come later. */
export async function findOwnPaid(
  records: Records,
  clientSecret: string,
): Promise<RegistrationRecord | undefined> {
  const { row, payment } = await findOwn(records, clientSecret);
  if (row.paidAt === null) await recordPayment(records, payment);
  const record = await findRegistration(records, row.id);
  return record?.deposit === 'paid' ? record : undefined;
}

/**
 * Registers somebody: records her, then makes her customer and the PaymentIntent of her deposit, once for the key (R4.5). The
 * details that the registration has now, or had at first, find it again. Of two concurrent requests, Stripe carries out one.
 * @param hold runs the record in the transaction that holds its place, unless the registration has its place already
 */
export async function createDeposit(
  records: Records,
  deposit: Deposit,
  key: RegistrationKey,
  hold: HoldPlace,
): Promise<DepositPayment> {
  const { stripe, database } = records;
  // A transaction may run again: what the first run has found out stays.
  let isNew = false;
  let begun: Begun | undefined;
  const find = async (transaction: Transaction): Promise<Begun | undefined> => {
    begun = await findBegun(transaction, deposit, key);
    if (begun?.payment?.status === 'cancelled') throw refused('payment_canceled');
    return begun;
  };
  const begin = async (): Promise<Begun | undefined> => {
    await hold(async (transaction, held) => {
      if (await find(transaction)) return false;
      isNew = true;
      const values = newRow({ ...deposit, key }, { ...held, begunAt: held.submittedAt });
      begun = { row: await insertRegistration(transaction, values, deposit.facts) };
      return true;
    });
    return begun ?? database.read(find);
  };
  const found = await begin().catch(async (error: unknown) => {
    // Why, only Stripe knows.
    const closed = isRefused(error, 'payment_canceled') && begun?.payment;
    throw closed ? depositClosed(await stripe.paymentIntents.retrieve(closed.id)) : error;
  });
  if (!found) throw new Error('A registration is gone that was recorded just now');
  const { row, payment } = found;
  if (payment) return bringUpToDate(records, row, await readDeposit(records, payment.id), deposit);
  const customer = await customerFor(stripe, row, isNew);
  const [intent, isAdmitted] = await Promise.all([
    depositFor(records, row, customer, deposit.facts, isNew),
    deposit.admitLetter(),
  ]);
  const known = { customer, letterWaits: isAdmitted ? 0 : 1 } as const;
  return recordDeposit(records, intent, known, isNew ? undefined : deposit.facts);
}

interface Begun {
  row: RegistrationRow;
  payment?: PaymentRow | undefined;
}

async function findBegun(
  transaction: Transaction,
  deposit: Deposit,
  key: RegistrationKey,
): Promise<Begun | undefined> {
  const rows = await rowsWith(transaction, 'registrations', 'id', idsOf(key));
  const row = rows.find(({ id }) => id === registrationIdOf(key.value)) ?? rows[0];
  if (!row) return undefined;
  const payment = await findDeposit(transaction, row.id);
  if (!hasDetails(row, deposit) && row.begunWith !== detailsDigest(deposit))
    throw refused(payment?.status === 'paid' ? 'already_paid' : 'registration_changed');
  return { row, payment };
}

/** @param isFirstTry else it may be at Stripe without being on record, and is looked up */
function depositFor(
  { stripe }: Records,
  { id, email }: Pick<RegistrationRow, 'id' | 'email'>,
  customer: string,
  facts: Facts,
  isFirstTry: boolean,
): Promise<Stripe.PaymentIntent> {
  const parameters: Stripe.PaymentIntentCreateParams = {
    ...intentDetailsOf({ email }, facts, id),
    currency: 'usd',
    customer,
    setup_future_usage: 'off_session',
    allowed_payment_method_types: ['card'],
  };
  return writeOnce(
    `${id}-deposit`,
    (idempotencyKey) => stripe.paymentIntents.create(parameters, { idempotencyKey }),
    async () => {
      const { data } = await stripe.paymentIntents.list({ customer, limit: 100 });
      return data.find((intent) => isDeposit(intent) && registrationOf(intent) === id);
    },
    isFirstTry,
  );
}

export async function depositOfHeld(
  records: Records,
  record: RegistrationRecord,
  now: Date,
): Promise<Stripe.PaymentIntent> {
  const { registrant, edition, customerId } = record;
  const customer = await customerOfHeld(records, record, now);
  const about = { id: record.id, email: registrant.email };
  const intent = await depositFor(records, about, customer, edition.facts, customerId === undefined);
  await recordDeposit(records, intent, {}, edition.facts);
  return intent;
}

/**
 * Records a deposit that was made or found, and the letters about it as owed.
 * @param facts whose prices it has now; absent where it has them, or is paid or being paid
 */
async function recordDeposit(
  { database }: Register,
  intent: Stripe.PaymentIntent,
  known: Partial<RegistrationRow> = {},
  facts?: Facts,
): Promise<DepositPayment> {
  const { id, client_secret: clientSecret, amount: amountCents } = intent;
  if (!clientSecret) throw new Error(`Stripe gave ${id} without a client secret`);
  const registration = registrationOf(intent);
  const letters = await database.write(async (transaction) => {
    const row = await transaction
      .updateTable('registrations')
      .set({ ...known, secretDigest: secretDigest(clientSecret) })
      .where('id', '=', registration)
      // Her details were removed when it was ended meanwhile.
      .where('address', '!=', '')
      .returningAll()
      .executeTakeFirst();
    if (await findDeposit(transaction, registration)) await noteChange(transaction, registration);
    else await writePayments(transaction, [readPayment(intent)]);
    if (!row) return [];
    if (facts) await askTodaysPrices(transaction, row, facts);
    const owed = isUnpaid(intent) ? firstLetters(row) : [];
    await oweTogether(transaction, owed, row.submittedAt ?? row.begunAt);
    return owed;
  });
  return { registration, clientSecret, amountCents, letters };
}

/** Brings registration, customer and payment to the details of a submit, at today's price, unless it is paid or being paid. */
async function bringUpToDate(
  records: Records,
  row: RegistrationRow,
  intent: Stripe.PaymentIntent,
  deposit: Deposit,
): Promise<DepositPayment> {
  const { contact, facts, timeZone } = deposit;
  if (intent.status === 'canceled') throw depositClosed(intent);
  const isSameAddress = row.address === contact.email.toLowerCase();
  if (!isUnpaid(intent)) {
    if (!isSameAddress) throw refused('already_paid');
    return recordDeposit(records, intent);
  }
  const letterWaits = !isSameAddress && ({ letterWaits: (await deposit.admitLetter()) ? 0 : 1 } as const);
  const { amount, ...details } = intentDetailsOf(contact, facts, row.id);
  const isSameAtStripe =
    hasDetails(row, deposit) && amount === intent.amount && details.description === intent.description;
  if (!isSameAtStripe) {
    const changes = { ...details, ...(amount !== intent.amount && { amount }) };
    const updated = await ifStillOpen(
      recordChange(records, ({ paymentIntents }) => paymentIntents.update(intent.id, changes)),
    );
    // It was paid or cancelled meanwhile.
    if (!updated) return bringUpToDate(records, row, await readDeposit(records, intent.id), deposit);
    if (row.customer) await records.stripe.customers.update(row.customer, customerOf(contact));
  }
  const known = { ...personColumns({ ...contact, timeZone }), ...letterWaits };
  return recordDeposit(records, { ...intent, amount }, known, facts);
}

export async function updateDeposit(
  records: Records,
  clientSecret: string,
  deposit: Deposit,
  onRead: (registration?: string) => Promise<void>,
): Promise<DepositPayment> {
  const { row, intent } = await readOwn(records, clientSecret);
  if (row.edition !== deposit.facts.id) throw refused('registration_not_found');
  await onRead(isUnpaid(intent) ? row.id : undefined);
  return bringUpToDate(records, row, intent, deposit);
}
