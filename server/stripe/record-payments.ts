import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import {
  type Database,
  type DisputeRow,
  noteChange,
  type PaymentRow,
  type RefundRow,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import type { LetterLog } from '#server/letters/letter-log.ts';
import {
  addAct,
  beginHold,
  changeByPayments,
  findRow,
  hasSame,
  insertRegistration,
  personColumns,
  type Register,
  secretDigest,
  settlePlaces,
  THE_WORKER,
  UNTOUCHED,
} from '#server/registration/registration.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import type { Contact } from '#shared/registration.ts';
import {
  isDeposit,
  type PaymentRead,
  readMarks,
  readPayment,
  readSince,
  recognise,
  registrationOf,
} from './payment-at-stripe.ts';
import { idOf, ifThere, momentOf } from './stripe-calls.ts';

export interface Records extends Register {
  letterLog: LetterLog;
  stripe: Stripe;
}

const PATHS = ['customer', 'latest_charge', 'latest_charge.refunds'];
/** Of each request for a payment, and for a list of them: everything that is recorded, so that one request suffices. */
const EXPANDED = { expand: PATHS };
export const LIST_EXPANDED = { expand: PATHS.map((path) => `data.${path}`) };

async function newestVersion(transaction: Transaction): Promise<number> {
  const { newest } = await transaction
    .selectFrom('payments')
    .select(({ fn }) => fn.max('version').as('newest'))
    .executeTakeFirstOrThrow();
  return newest ?? 0;
}

export async function recordPayment(records: Records, id: string): Promise<Stripe.PaymentIntent | undefined> {
  const [intent] = await recordList(records, async ({ paymentIntents }) => {
    const read = await ifThere(paymentIntents.retrieve(id, EXPANDED));
    return read ? [read] : [];
  });
  return intent;
}

/** Of a payment that was paid meanwhile Stripe's answer names the charge only, so it is read. */
export async function recordChange(
  records: Records,
  change: (stripe: Stripe) => Promise<Stripe.PaymentIntent>,
): Promise<Stripe.PaymentIntent> {
  const [changed] = await recordList(records, async (stripe) => {
    const answer = await change(stripe);
    const isPaid = answer.status === 'succeeded';
    return [isPaid ? await stripe.paymentIntents.retrieve(answer.id, EXPANDED) : answer];
  });
  if (!changed) throw new Error('Stripe answered a change with nothing');
  return changed;
}

/** What somebody else recorded meanwhile is not overwritten, but read again. */
export async function recordList(
  records: Records,
  read: (stripe: Stripe) => Promise<readonly Stripe.PaymentIntent[]>,
): Promise<readonly Stripe.PaymentIntent[]> {
  const { stripe, database } = records;
  // What somebody else records after this may be newer than what is read here.
  const since = await database.read(newestVersion);
  const intents = await read(stripe);
  const ours = intents.filter((intent) => recognise(intent) !== 'foreign');
  const payments = ours.map(async (intent) => readPayment(intent, await readSince(stripe, intent)));
  const overtaken = await recordPayments(database, await Promise.all(payments), since);
  await recoverLost(database, intents);
  const newest = intents.map((intent) =>
    overtaken.has(intent.id) ? recordPayment(records, intent.id) : intent,
  );
  return (await Promise.all(newest)).filter((intent) => intent !== undefined);
}

/** @returns the payments that somebody else has recorded otherwise since, which are left as they are */
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

interface News extends PaymentRead {
  version: number;
}

async function findNews(transaction: Transaction, read: readonly PaymentRead[]): Promise<News[]> {
  const news: News[] = [];
  for (const { payment, ...since } of read) {
    const { id, registration } = payment;
    // Once personal data were removed, no postal code is recorded again.
    const isForgotten = (await findRow(transaction, registration))?.forgottenAt instanceof Date;
    const one = { ...since, payment: isForgotten ? { ...payment, postalCode: null } : payment };
    const [row] = await rowsWith(transaction, 'payments', 'id', [id]);
    if (!(await isOnRecord(transaction, row, one))) news.push({ ...one, version: row?.version ?? 0 });
  }
  return news;
}

async function isOnRecord(
  transaction: Transaction,
  row: PaymentRow | undefined,
  { payment, refunds, disputes, moves }: PaymentRead,
): Promise<boolean> {
  if (!hasSame(row, payment)) return false;
  const held = [
    ...(await rowsWith(transaction, 'refunds', 'payment', [payment.id])),
    ...(await rowsWith(transaction, 'disputes', 'payment', [payment.id])),
  ];
  const moved = moves.map(({ id }) => id);
  const entries = await rowsWith(transaction, 'entries', 'id', moved);
  const isHeld = (one: RefundRow | DisputeRow) => held.some((row) => row.id === one.id && hasSame(row, one));
  return [...refunds, ...disputes].every(isHeld) && entries.length === moved.length;
}

export async function writePayments(transaction: Transaction, read: readonly PaymentRead[]): Promise<void> {
  if (read.length === 0) return;
  const version = (await newestVersion(transaction)) + 1;
  for (const { payment, refunds, disputes } of read) {
    await upsert(transaction, 'payments', { ...payment, version });
    for (const refund of refunds) await upsert(transaction, 'refunds', refund);
    for (const dispute of disputes) await upsert(transaction, 'disputes', dispute);
  }
  const ids = new Set(read.map(({ payment }) => payment.registration));
  for (const id of ids) {
    const own = read.filter(({ payment }) => payment.registration === id);
    const ended = own.filter(({ payment: { status } }) => status === 'paid' || status === 'cancelled');
    const moves = new Map(ended.map((one) => [one.payment.id, one.moves]));
    if (moves.size > 0) await changeByPayments(transaction, id, moves);
  }
  await noteChange(transaction, ...ids);
  // A payment that is open was never paid: whoever holds a place keeps it.
  const begun = read.filter(({ payment }) => payment.status !== 'open');
  await settlePlaces(transaction, [...new Set(begun.map(({ payment }) => payment.registration))]);
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

const LOST =
  'Stripe has a deposit of this site whose registration is missing: the register is older than it was.';

export async function recoverLost(
  database: Database,
  intents: readonly Stripe.PaymentIntent[],
): Promise<void> {
  const deposits = intents.filter(isDeposit);
  if (deposits.length === 0) return;
  const known = await database.read((transaction) =>
    rowsWith(transaction, 'registrations', 'id', deposits.map(registrationOf)),
  );
  const ids = new Set(known.map(({ id }) => id));
  for (const intent of deposits)
    if (!ids.has(registrationOf(intent))) await recoverRegistration(database, intent);
}

/**
 * A registration's row is written before its payment is made: if it is missing, the register is older than it was, and is
 * held. Of a paid deposit it is made from the customer at Stripe, which is expanded.
 */
async function recoverRegistration(database: Database, intent: Stripe.PaymentIntent): Promise<void> {
  const registrant = registrantOf(intent);
  const facts = findEdition(readMarks(intent)?.edition ?? '')?.facts;
  const id = registrationOf(intent);
  const begunAt = momentOf(intent.created);
  const act = { id: uuidV7(), subject: id, kind: 'recovered' as const, at: begunAt, by: THE_WORKER };
  await database.write(async (transaction) => {
    if (await findRow(transaction, id)) return;
    if (!(await isReleasedSince(transaction, begunAt))) await beginHold(transaction, LOST);
    if (intent.status !== 'succeeded' || !registrant || !facts) return;
    const row = {
      ...UNTOUCHED,
      ...personColumns({ ...registrant, timeZone: '' }),
      id,
      edition: facts.id,
      begunAt,
      standing: 'taken' as const,
      heldUntil: begunAt,
      customer: idOf(intent.customer) ?? null,
      secretDigest: intent.client_secret && secretDigest(intent.client_secret),
    };
    await insertRegistration(transaction, row, facts);
    await changeByPayments(transaction, id);
    await addAct(transaction, act);
    await settlePlaces(transaction, [id]);
  });
}

/** The last word is taken for the last name. */
function registrantOf({ customer }: Stripe.PaymentIntent): Contact | undefined {
  if (!customer || typeof customer === 'string' || customer.deleted) return undefined;
  const { name, email, phone } = customer;
  if (!name && !email && !phone) return undefined;
  const [, firstName = '', lastName = ''] = /^(.*?)(?: (\S+))?$/.exec(name ?? '') ?? [];
  return { firstName, lastName, email: email ?? '', phoneNumber: phone ?? '' };
}

/** What is missing since then is missing for good. */
async function isReleasedSince(transaction: Transaction, begunAt: Date): Promise<boolean> {
  const released = await transaction
    .selectFrom('acts')
    .innerJoin('register', 'register.name', 'acts.subject')
    .select('acts.id')
    .where('acts.kind', '=', 'released')
    .where('acts.happenedAt', '>=', begunAt)
    .limit(1)
    .executeTakeFirst();
  return released !== undefined;
}
