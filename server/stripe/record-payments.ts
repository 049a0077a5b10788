import type Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { DisputeRow, PaymentRow, RefundRow } from '#server/database/schema.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { Register } from '#server/registration/on-record.ts';
import { settlePlaces } from '#server/registration/places-taken.ts';
import { hasSame } from '#server/registration/registrations.ts';
import { changeByMoney } from '#server/registration/write-ledger.ts';
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

/** How often a payment is read again because somebody else recorded it meanwhile. */
const MOST_READS = 5;

/** An upper limit that no real payment reaches. */
const MOST_REFUNDS = 1_000;

/**
 * What was recorded when a process began to read Stripe: what somebody else records after that may be newer than what
 * the process reads.
 */
export type Version = number;

/** To be taken before Stripe is read. */
function versionNow(database: Database): Promise<Version> {
  return database.read(newestVersion);
}

async function newestVersion(transaction: Transaction): Promise<Version> {
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
  const since = await versionNow(database);
  const intents = await read(stripe);
  const overtaken = await recordPayments(database, await readPayments(stripe, intents), since);
  await recoverLost(database, intents);
  return intents.map((intent) => ({ read: intent, isOvertaken: overtaken.has(intent.id) }));
}

/**
 * Payments as Stripe shows them, in the form in which they are recorded; those of other shops are left out.
 * @param intents expanded by `RECORD_EXPANSION`
 */
async function readPayments(
  stripe: Stripe,
  intents: readonly Stripe.PaymentIntent[],
): Promise<PaymentRead[]> {
  const ours = intents.filter((intent) => recognise(intent) !== 'foreign');
  const read = ours.map(async (intent) =>
    readPayment(await withAllRefunds(stripe, intent), await readDisputes(stripe, intent)),
  );
  return (await Promise.all(read)).flatMap((payment) => payment ?? []);
}

/**
 * A payment with all refunds of its expanded charge. Stripe includes only the ten newest; hardly any charge
 * has more.
 * @see https://docs.stripe.com/api/charges/object#charge_object-refunds
 */
async function withAllRefunds(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<Stripe.PaymentIntent> {
  const charge = intent.latest_charge;
  if (!charge || typeof charge === 'string' || !charge.refunds?.has_more) return intent;
  const list = stripe.refunds.list({ charge: charge.id, limit: 100 });
  const data = await list.autoPagingToArray({ limit: MOST_REFUNDS });
  const refunds = { ...charge.refunds, data, has_more: false };
  return { ...intent, latest_charge: { ...charge, refunds } };
}

/**
 * Records payments, their refunds and their disputes as they were read at Stripe; what is on record so already causes no write.
 * @param since taken before Stripe was read
 * @returns the payments that somebody else has recorded otherwise since then: these are left as they are
 */
async function recordPayments(
  database: Database,
  read: readonly PaymentRead[],
  since: Version,
): Promise<ReadonlySet<string>> {
  const isOnRecord = await database.read(async (transaction) => {
    const kept = await withoutForgotten(transaction, read);
    return areOnRecord(await readHeld(transaction, kept), kept);
  });
  if (isOnRecord) return new Set();
  return database.write(async (transaction) => {
    const kept = await withoutForgotten(transaction, read);
    const held = await readHeld(transaction, kept);
    const different = kept.filter((one) => !areOnRecord(held, [one]));
    const versions = new Map(held.payments.map(({ id, version }) => [id, version]));
    const isNewer = ({ payment }: PaymentRead) => (versions.get(payment.id) ?? 0) > since;
    await writePayments(
      transaction,
      different.filter((one) => !isNewer(one)),
    );
    return new Set(different.filter(isNewer).map(({ payment }) => payment.id));
  });
}

interface Held {
  payments: readonly PaymentRow[];
  refunds: readonly RefundRow[];
  disputes: readonly DisputeRow[];
  /** What moved, by the ids at Stripe. */
  entries: ReadonlySet<string>;
}

/** Without the postal codes of those whose personal data were removed. */
async function withoutForgotten(
  transaction: Transaction,
  read: readonly PaymentRead[],
): Promise<PaymentRead[]> {
  const named = read.filter(({ payment }) => payment.postalCode !== null);
  const ids = named.map(({ payment }) => payment.registration);
  const rows = await rowsWith(transaction, 'registrations', 'id', ids);
  const forgotten = new Set(rows.filter(({ forgottenAt }) => forgottenAt !== null).map(({ id }) => id));
  return read.map((one) =>
    forgotten.has(one.payment.registration) ? { ...one, payment: { ...one.payment, postalCode: null } } : one,
  );
}

function areOnRecord({ payments, refunds, disputes, entries }: Held, read: readonly PaymentRead[]): boolean {
  const rows = new Map(payments.map((row) => [row.id, row]));
  const held = new Map([...refunds, ...disputes].map((row) => [row.id, row]));
  return read.every(
    (one) =>
      hasSame(rows.get(one.payment.id), one.payment) &&
      [...one.refunds, ...one.disputes].every((row) => hasSame(held.get(row.id), row)) &&
      one.moves.every(({ id }) => entries.has(id)),
  );
}

async function readHeld(transaction: Transaction, read: readonly PaymentRead[]): Promise<Held> {
  const ids = read.map(({ payment }) => payment.id);
  const payments = await rowsWith(transaction, 'payments', 'id', ids);
  const refunds = await rowsWith(transaction, 'refunds', 'payment', ids);
  const disputes = await rowsWith(transaction, 'disputes', 'payment', ids);
  const moved = read.flatMap(({ moves }) => moves.map(({ id }) => id));
  const entries = await rowsWith(transaction, 'entries', 'id', moved);
  return { payments, refunds, disputes, entries: new Set(entries.map(({ id }) => id)) };
}

/** Records payments, their refunds and their disputes, whatever is on record of them. */
export async function writePayments(transaction: Transaction, read: readonly PaymentRead[]): Promise<void> {
  if (read.length === 0) return;
  const version = (await newestVersion(transaction)) + 1;
  const recordedAt = new Date();
  for (const { payment, refunds, disputes } of read) {
    const row: PaymentRow = { ...payment, recordedAt, version };
    await transaction
      .insertInto('payments')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
    for (const refund of refunds)
      await transaction
        .insertInto('refunds')
        .values(refund)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(refund))
        .execute();
    for (const dispute of disputes)
      await transaction
        .insertInto('disputes')
        .values(dispute)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(dispute))
        .execute();
  }
  const paid = read.filter(({ payment }) => payment.status === 'paid');
  for (const id of new Set(paid.map(({ payment }) => payment.registration)))
    await changeByMoney(
      transaction,
      id,
      paid.filter(({ payment }) => payment.registration === id),
    );
  const registrationsOf = (some: readonly PaymentRead[]) => [
    ...new Set(some.map(({ payment }) => payment.registration)),
  ];
  await noteChange(transaction, ...registrationsOf(read));
  // A payment that is open was never paid: whoever holds a place keeps it.
  await settlePlaces(transaction, registrationsOf(read.filter(({ payment }) => payment.status !== 'open')));
}
