import type Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { DisputeRow, PaymentRow, RefundRow } from '#server/database/schema.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { Register } from '#server/registration/on-record.ts';
import { settlePlaces } from '#server/registration/places-taken.ts';
import { findRow, hasSame } from '#server/registration/registrations.ts';
import { changeByPayments } from '#server/registration/write-ledger.ts';
import { type PaymentRead, readDisputes, readPayment, recognise } from './payment-at-stripe.ts';
import { recoverLost } from './recover.ts';
import { retrieveIntent } from './stripe-calls.ts';

/** The register, and Stripe. */
export interface Records extends Register {
  letterLog: LetterLog;
  stripe: Stripe;
}

/** To be expanded in each request for a payment: everything that is recorded of it, so that one request suffices. */
export const RECORD_EXPANSION = ['customer', 'latest_charge', 'latest_charge.refunds'] as const;

/** How often a payment is read because somebody else recorded it meanwhile. */
const MOST_READS = 5;

async function newestVersion(transaction: Transaction): Promise<number> {
  const { newest } = await transaction
    .selectFrom('payments')
    .select(({ fn }) => fn.max('version').as('newest'))
    .executeTakeFirstOrThrow();
  return newest ?? 0;
}

/**
 * Reads a payment at Stripe and records it. What somebody else recorded meanwhile is not overwritten: it is read again.
 * @returns it as Stripe has it; undefined when there is none
 */
export async function recordPayment(records: Records, id: string): Promise<Stripe.PaymentIntent | undefined> {
  for (let reads = 1; ; reads += 1) {
    const [intent] = await readAndRecord(records, async (stripe) => {
      const read = await retrieveIntent(stripe, id, RECORD_EXPANSION);
      return read ? [read] : [];
    });
    if (!intent?.isOvertaken || reads >= MOST_READS) return intent?.read;
  }
}

/** Records a payment as Stripe's answer to a change shows it; of one that was paid meanwhile it names the charge only, so it is read. */
export async function recordChange(
  records: Records,
  change: (stripe: Stripe) => Promise<Stripe.PaymentIntent>,
): Promise<Stripe.PaymentIntent> {
  const [changed] = await readAndRecord(records, async (stripe) => {
    const answer = await change(stripe);
    if (answer.status !== 'succeeded' || typeof answer.latest_charge !== 'string') return [answer];
    return [await stripe.paymentIntents.retrieve(answer.id, { expand: [...RECORD_EXPANSION] })];
  });
  if (!changed) throw new Error('Stripe answered a change with nothing');
  if (changed.isOvertaken) await recordPayment(records, changed.read.id);
  return changed.read;
}

/** The same for several payments, those of other shops left out. @returns the ids of those to be read once more */
export async function recordList(
  records: Records,
  list: (stripe: Stripe) => Promise<readonly Stripe.PaymentIntent[]>,
): Promise<string[]> {
  const all = await readAndRecord(records, list);
  return all.flatMap(({ read, isOvertaken }) => (isOvertaken ? [read.id] : []));
}

async function readAndRecord(
  records: Records,
  read: (stripe: Stripe) => Promise<readonly Stripe.PaymentIntent[]>,
): Promise<{ read: Stripe.PaymentIntent; isOvertaken: boolean }[]> {
  const { stripe, database } = records;
  // What somebody else records after this may be newer than what is read here.
  const since = await database.read(newestVersion);
  const intents = await read(stripe);
  const ours = intents.filter((intent) => recognise(intent) !== 'foreign');
  const payments = ours.map(async (intent) =>
    readPayment(await withAllRefunds(stripe, intent), await readDisputes(stripe, intent)),
  );
  const overtaken = await recordPayments(database, await Promise.all(payments), since);
  await recoverLost(database, intents);
  return intents.map((intent) => ({ read: intent, isOvertaken: overtaken.has(intent.id) }));
}

/**
 * Stripe includes only the ten newest refunds; hardly any charge has more.
 * @see https://docs.stripe.com/api/charges/object#charge_object-refunds
 */
async function withAllRefunds(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
  const charge = intent.latest_charge;
  if (!charge || typeof charge === 'string' || !charge.refunds?.has_more) return intent;
  const list = stripe.refunds.list({ charge: charge.id, limit: 100 });
  const data = await list.autoPagingToArray({ limit: 1_000 });
  const refunds = { ...charge.refunds, data, has_more: false };
  return { ...intent, latest_charge: { ...charge, refunds } };
}

/** @returns the payments that somebody else has recorded otherwise since: these are left as they are */
async function recordPayments(
  database: Database,
  read: readonly PaymentRead[],
  since: number,
): Promise<ReadonlySet<string>> {
  // Most of a list is on record already, and need not keep other writers waiting.
  const news = await database.read((transaction) => findNews(transaction, read));
  if (news.length === 0) return new Set();
  return database.write(async (transaction) => {
    const found = await findNews(transaction, news);
    const isNewer = ({ version }: News) => version > since;
    await writePayments(
      transaction,
      found.filter((one) => !isNewer(one)),
    );
    return new Set(found.filter(isNewer).map(({ payment }) => payment.id));
  });
}

/** A payment that is on record otherwise, or not at all, with the version that is on record. */
interface News extends PaymentRead {
  version: number;
}

async function findNews(transaction: Transaction, read: readonly PaymentRead[]): Promise<News[]> {
  const news: News[] = [];
  for (const given of read) {
    const one = await asKept(transaction, given);
    const [row] = await rowsWith(transaction, 'payments', 'id', [one.payment.id]);
    if (!(await isOnRecord(transaction, row, one))) news.push({ ...one, version: row?.version ?? 0 });
  }
  return news;
}

/** Once personal data were removed, no postal code is recorded again. */
async function asKept(transaction: Transaction, read: PaymentRead): Promise<PaymentRead> {
  const { payment } = read;
  const isForgotten = (await findRow(transaction, payment.registration))?.forgottenAt instanceof Date;
  return isForgotten ? { ...read, payment: { ...payment, postalCode: null } } : read;
}

async function isOnRecord(
  transaction: Transaction,
  row: PaymentRow | undefined,
  { payment, refunds, disputes, moves }: PaymentRead,
): Promise<boolean> {
  if (!hasSame(row, payment)) return false;
  const held = new Map<string, object>();
  for (const table of ['refunds', 'disputes'] as const)
    for (const one of await rowsWith(transaction, table, 'payment', [payment.id])) held.set(one.id, one);
  const moved = moves.map(({ id }) => id);
  const entries = await rowsWith(transaction, 'entries', 'id', moved);
  return (
    [...refunds, ...disputes].every((one) => hasSame(held.get(one.id), one)) &&
    entries.length === moved.length
  );
}

/** Records payments, their refunds and their disputes, whatever is on record of them. */
export async function writePayments(transaction: Transaction, read: readonly PaymentRead[]): Promise<void> {
  if (read.length === 0) return;
  const version = (await newestVersion(transaction)) + 1;
  const recordedAt = new Date();
  for (const { payment, refunds, disputes } of read) {
    const row: PaymentRow = { ...payment, recordedAt, version };
    await upsert(transaction, 'payments', row);
    for (const refund of refunds) await upsert(transaction, 'refunds', refund);
    for (const dispute of disputes) await upsert(transaction, 'disputes', dispute);
  }
  const ids = new Set(read.map(({ payment }) => payment.registration));
  for (const id of ids) {
    const own = read.filter(({ payment }) => payment.registration === id);
    const moves = new Map(own.map(({ payment, moves: ofPayment }) => [payment.id, ofPayment]));
    if (own.some(({ payment }) => payment.status === 'paid' || payment.status === 'cancelled'))
      await changeByPayments(transaction, id, moves);
  }
  await noteChange(transaction, ...ids);
  // A payment that is open was never paid: whoever holds a place keeps it.
  const notOpen = read.filter(({ payment }) => payment.status !== 'open');
  await settlePlaces(transaction, [...new Set(notOpen.map(({ payment }) => payment.registration))]);
}

async function upsert(
  transaction: Transaction,
  table: 'payments' | 'refunds' | 'disputes',
  row: PaymentRow | RefundRow | DisputeRow,
): Promise<void> {
  await transaction
    .insertInto(table)
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}
