import { createHash, timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import { type Database, isRegisterAway } from '#server/database/database.ts';
import { rowsWith } from '#server/database/engine.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import { SOMEBODY_WITH_LINK, writeAct } from '#server/registration/acts.ts';
import type { OwnPageToken } from '#server/registration/links.ts';
import {
  ACTS,
  type OnRecord,
  type Register,
  readAllOnRecord,
  readOnRecord,
  WRONG_PROOFS_TOLD,
} from '#server/registration/on-record.ts';
import { recoverRegistration } from '#server/registration/personal-data.ts';
import { readRecord } from '#server/registration/read-record.ts';
import {
  RECORD_EXPANSION,
  type RegistrationRecord,
  type Whose,
} from '#server/registration/registration-record.ts';
import { findRow } from '#server/registration/registrations.ts';
import { lastDigits } from '#shared/mail-and-phone.ts';
import { typedNumber } from '#shared/typed-text.ts';
import { depositOfBalance, isPaidInFull, withPayments } from './payment-at-stripe.ts';
import { areOnRecord, readPayments, recordPayments, versionNow } from './record-payments.ts';
import { idOf, retrieveIntent, untraced } from './stripe-calls.ts';

/** Where registrations are on record: their payments are read at Stripe. */
export interface Records extends Register {
  letterLog: LetterLog;
  stripe: Stripe;
}

/** How often payments are read again because somebody else recorded them meanwhile. */
const MOST_READS = 5;

/**
 * A registration by its deposit or a payment of its balance, as Stripe has it now; undefined when there is
 * none. It takes one read, and a second one once the deposit is paid, since there may be a balance then.
 * A payment that was disputed takes one more, for its disputes.
 * What was read is recorded, if the register can be written.
 * @throws {AppError} when what is on record of it is not what this site writes
 */
export async function findRegistration(
  records: Records,
  id: string,
): Promise<RegistrationRecord | undefined> {
  return (await findWithFactor(records, id))?.record;
}

/**
 * A registration, and the second factor by which the registrant proves her identity. The latter is never
 * stored.
 */
export interface FoundRegistrant {
  record: RegistrationRecord;
  secondFactor: SecondFactor;
}

/** The same as `findRegistration`, with the second factor, from the same reads. */
export async function findWithFactor(records: Records, id: string): Promise<FoundRegistrant | undefined> {
  const taken = await takeOrSee(records, () => readAll(records, id));
  const record = taken && readRecord(taken.onRecord);
  if (!record) return undefined;
  const address = record.handedOver ? undefined : billingAddressOf(taken.deposit);
  const secondFactor = secondFactorOf(address, record.registrant);
  return { record, secondFactor };
}

type ReadIntents = () => Promise<readonly Stripe.PaymentIntent[]>;

interface Taken {
  deposit: Stripe.PaymentIntent;
  onRecord: OnRecord;
}

/**
 * Reads payments at Stripe and records them; so too a paid deposit's registration, if it was lost.
 * @param read reads a deposit, and then other payments of its registration, expanded by `RECORD_EXPANSION`
 * @returns undefined when nothing was found
 */
export async function readAndRecordPayments(records: Records, read: ReadIntents): Promise<Taken | undefined> {
  const { stripe, database } = records;
  for (let reads = 1; ; reads += 1) {
    const since = await versionNow(database);
    const intents = await read();
    const [deposit] = intents;
    if (!deposit) return undefined;
    const payments = await readPayments(stripe, intents);
    // Mostly nothing has changed, and then nothing more is read or written. Budget: `letters-cpu`.
    let onRecord = await readOnRecord(records, deposit.id);
    if (!areOnRecord(onRecord, payments)) {
      const newer = await recordPayments(database, payments, since);
      if (newer.size > 0 && reads < MOST_READS) continue;
      onRecord = await readOnRecord(records, deposit.id);
    }
    const isLost = !onRecord.registration && (await recoverRegistration(database, deposit));
    return { deposit, onRecord: isLost ? await readOnRecord(records, deposit.id) : onRecord };
  }
}

/** The same; while the register can be read and not written, what was read at Stripe is only added to what is on record. */
async function takeOrSee(records: Records, read: ReadIntents): Promise<Taken | undefined> {
  let intents: readonly Stripe.PaymentIntent[] = [];
  try {
    return await readAndRecordPayments(records, async () => {
      intents = await read();
      return intents;
    });
  } catch (error) {
    const [deposit] = intents;
    if (!deposit || !isRegisterAway(error)) throw error;
    const onRecord = await readOnRecord(records, deposit.id);
    return { deposit, onRecord: withPayments(onRecord, await readPayments(records.stripe, intents)) };
  }
}

/** Records the payments of a registration, given by one of them, as Stripe has them now. */
export async function recordPaymentsOf(records: Records, id: string): Promise<void> {
  await readAndRecordPayments(records, () => readAll(records, id));
}

/** The same for a deposit alone: one read, without the payments of its balance. */
export function readAndRecordDeposit(records: Records, id: string): Promise<Taken | undefined> {
  return readAndRecordPayments(records, async () => {
    const deposit = await retrieveIntent(records.stripe, id, RECORD_EXPANSION);
    return deposit ? [deposit] : [];
  });
}

/** The deposit, and the other payments of its customer. */
async function readAll({ stripe, database }: Records, id: string): Promise<Stripe.PaymentIntent[]> {
  const intent = await retrieveIntent(stripe, id, RECORD_EXPANSION);
  if (!intent) return [];
  const depositId = depositOfBalance(intent);
  const customer = idOf(intent.customer);
  if (!customer) return [intent];
  if (depositId === undefined && !isPaidInFull(intent) && !(await isCovered(database, id))) return [intent];
  // Every registration has a customer of its own.
  const expand = RECORD_EXPANSION.map((path) => `data.${path}`);
  const list = () => stripe.paymentIntents.list({ customer, limit: 100, expand });
  const { data } = await untraced(list);
  const deposit = depositId === undefined ? intent : data.find((one) => one.id === depositId);
  return deposit ? [deposit, ...data.filter((one) => one.id !== deposit.id)] : [];
}

/** Whether the deposit was paid, or need not be, without its payment at Stripe. */
async function isCovered(database: Database, deposit: string): Promise<boolean> {
  const row = await database.read((transaction) => findRow(transaction, deposit));
  return row !== undefined && row.paidAt !== null;
}

/**
 * The registrations of all editions with an e-mail address, ignoring case, that are on record as paid. Nothing is read at
 * Stripe: anybody may ask with any address.
 */
export async function findByAddress(
  { database }: Register,
  email: string,
  { alsoUnpaid = false } = {},
): Promise<RegistrationRecord[]> {
  const all = await database.read(async (transaction) => {
    const address = email.toLowerCase();
    const rows = await rowsWith(transaction, 'registrations', 'address', [address], 'begunAt');
    const wanted = rows.filter(({ paidAt }) => alsoUnpaid || paidAt !== null).toReversed();
    return readAllOnRecord(
      transaction,
      wanted.flatMap(({ deposit }) => deposit ?? []),
    );
  });
  return [...all.values()].flatMap((onRecord) => readRecord(onRecord) ?? []);
}

/** Records that a user of the office takes a link that shows her page. */
export async function recordOfficeLink(
  { database }: Register,
  { id }: Whose,
  by: string,
  at: Date,
): Promise<void> {
  await writeAct(database, id, () => ({ kind: ACTS.officeLink, at, by }));
}

/**
 * Raises the number that links to the registration's page must name: older links stop working, and so does the one that
 * would confirm a requested address, which is dropped. Where somebody else does so at the same time, it is raised once.
 * @returns the number for new links
 */
export async function renewLinks({ database }: Register, { id }: Whose): Promise<number> {
  const row = await database.read((transaction) => findRow(transaction, id));
  if (!row) throw new Error(`${id} is not on record`);
  await closeLinks({ database }, { deposit: id, epoch: row.linksEpoch });
  return row.linksEpoch + 1;
}

/**
 * The same for somebody whom a link let in, without a read at Stripe.
 * @returns whether they were renewed: not where they were before, so that the link lets nobody in any more
 */
export async function closeLinks(
  { database }: Register,
  { deposit, epoch }: Pick<OwnPageToken, 'deposit' | 'epoch'>,
): Promise<boolean> {
  // Also where the answer to the COMMIT was lost.
  let areRenewed = false;
  return database.write(async (transaction) => {
    const renewed = await transaction
      .updateTable('registrations')
      .set({ linksEpoch: epoch + 1, askedAddress: null, askedAt: null })
      .where('deposit', '=', deposit)
      .where('linksEpoch', '=', epoch)
      .returning('id')
      .executeTakeFirst();
    areRenewed ||= renewed !== undefined;
    if (renewed) await noteChange(transaction, deposit);
    return areRenewed;
  });
}

/** How a registrant proves her identity beyond holding a link, since letters may reach strangers too. */
export interface SecondFactor {
  kind: 'postal-code' | 'phone';
  /** The value in the form that is compared; empty where nothing suitable is on record. */
  expected: string;
}

/** Only the first five digits of a ZIP code are compared: people may add the other four or not. */
const US_DIGITS = 5;
const PHONE_DIGITS = 4;

type BillingAddress = Pick<Stripe.Address, 'postal_code' | 'country'>;

/** That of the card that paid a deposit, whose charge is expanded. */
function billingAddressOf({
  latest_charge: charge,
}: Pick<Stripe.PaymentIntent, 'latest_charge'>): BillingAddress | null | undefined {
  return typeof charge === 'string' ? undefined : charge?.billing_details.address;
}

/**
 * The postal code of the card with which she paid the deposit; where none is on record, the last four digits of her phone
 * number.
 * @param address of that card; undefined where the place came to her from who paid it
 */
export function secondFactorOf(
  address: BillingAddress | null | undefined,
  { phoneNumber }: { phoneNumber: string },
): SecondFactor {
  const code = bare(address?.postal_code ?? '');
  if (code === '') return { kind: 'phone', expected: lastDigits(phoneNumber, PHONE_DIGITS) };
  const expected = address?.country === 'US' ? code.slice(0, US_DIGITS) : code;
  return { kind: 'postal-code', expected };
}

/** Whether she typed what is on record. Compares in constant time, so that the duration reveals nothing. */
export function isProof({ kind, expected }: SecondFactor, typed: string): boolean {
  if (expected === '') return false;
  const given = kind === 'phone' ? lastDigits(typed, PHONE_DIGITS) : bare(typed);
  const isLongCode = kind === 'postal-code' && /^\d{5}$/.test(expected) && /^\d{9}$/.test(given);
  return timingSafeEqual(digest(isLongCode ? given.slice(0, US_DIGITS) : given), digest(expected));
}

/** Records that somebody gave a wrong proof on her page, at most three times a day (UTC): a letter tells her of the third. */
export async function recordWrongProof({ database }: Register, { id }: Whose, now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 'yyyy-mm-dd'.length);
  const act = { kind: ACTS.proofFailed, at: now, by: SOMEBODY_WITH_LINK };
  await writeAct(database, id, (acts) => {
    const ofToday = acts.filter(({ kind, at }) => kind === ACTS.proofFailed && at.startsWith(day));
    return ofToday.length < WRONG_PROOFS_TOLD ? act : undefined;
  });
}

/** Without spaces and hyphens, in upper case. */
function bare(text: string): string {
  return typedNumber(text).replaceAll(/[\s-]/g, '').toUpperCase();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
