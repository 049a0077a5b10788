import type Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import type { PaymentRow, RefundRow, RegistrationRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { withAllRefunds } from './all-refunds.ts';
import { type OnRecord, readAllOnRecord, readRefunds } from './on-record.ts';
import { type PaymentRead, readPayment } from './payment-on-record.ts';
import { placeOf } from './place-of-record.ts';
import { readRecord } from './registration-record.ts';

/**
 * What was recorded when a process began to read Stripe: what somebody else records after that may be newer than what
 * the process reads.
 */
export type Version = number;

/** To be taken before Stripe is read. */
export async function versionNow(database: Database): Promise<Version> {
  const { newest } = await database.read((transaction) =>
    transaction
      .selectFrom('payments')
      .select(({ fn }) => fn.max('version').as('newest'))
      .executeTakeFirstOrThrow(),
  );
  return newest ?? 0;
}

/**
 * Payments as Stripe shows them, in the form in which they are recorded; those of other shops are left out.
 * @param intents expanded by `RECORD_EXPANSION`
 */
export async function readPayments(
  stripe: Stripe,
  intents: readonly Stripe.PaymentIntent[],
): Promise<PaymentRead[]> {
  const whole = await Promise.all(intents.map((intent) => withAllRefunds(stripe, intent)));
  return whole.flatMap((intent) => readPayment(intent) ?? []);
}

/**
 * Records payments and their refunds as they were read at Stripe; what is on record so already causes no write.
 * @param since taken before Stripe was read
 * @returns the deposits of the payments that somebody else has recorded otherwise since then: these are left as they are
 */
export async function recordPayments(
  database: Database,
  read: readonly PaymentRead[],
  since: Version,
): Promise<ReadonlySet<string>> {
  const ids = read.map(({ payment }) => payment.id);
  const different = await database.read((transaction) => findDifferent(transaction, read, ids));
  if (different.length === 0) return new Set();
  return database.write(async (transaction) => {
    const versions = new Map((await readRows(transaction, ids)).map(({ id, version }) => [id, version]));
    const isNewer = ({ payment }: PaymentRead) => (versions.get(payment.id) ?? 0) > since;
    const still = await findDifferent(transaction, different, ids);
    await writePayments(
      transaction,
      still.filter((one) => !isNewer(one)),
    );
    return new Set(still.filter(isNewer).map(({ payment }) => payment.registration));
  });
}

/** Whether payments and their refunds are on record as they were read. */
export function areOnRecord({ payments, refunds }: OnRecord, read: readonly PaymentRead[]): boolean {
  return read.every(
    (one) =>
      hasSame(
        payments.find(({ id }) => id === one.payment.id),
        one.payment,
      ) &&
      one.refunds.every((refund) =>
        hasSame(
          refunds.find(({ id }) => id === refund.id),
          refund,
        ),
      ),
  );
}

/** Records payments and their refunds, whatever is on record of them. */
export async function writePayments(transaction: Transaction, read: readonly PaymentRead[]): Promise<void> {
  if (read.length === 0) return;
  const { newest } = await transaction
    .selectFrom('payments')
    .select(({ fn }) => fn.max('version').as('newest'))
    .executeTakeFirstOrThrow();
  const readAt = new Date().toISOString();
  for (const { payment, refunds } of read) {
    const row: PaymentRow = { ...payment, readAt, version: (newest ?? 0) + 1 };
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
  }
  const depositsOf = (some: readonly PaymentRead[]) => [
    ...new Set(some.map(({ payment }) => payment.registration)),
  ];
  await noteChange(transaction, ...depositsOf(read));
  // A payment that is open was never paid: whoever holds a place keeps it.
  await settlePlaces(transaction, depositsOf(read.filter(({ payment }) => payment.status !== 'open')));
}

/**
 * Writes which registrations take a place of their edition, as their payments and acts say. One that is not paid keeps
 * the place that is held for it, if any; of one that cannot be read, nothing is known.
 */
export async function settlePlaces(transaction: Transaction, deposits: readonly string[]): Promise<void> {
  const all = await readAllOnRecord(transaction, deposits);
  for (const onRecord of all.values()) {
    const { registration } = onRecord;
    const standing = registration && standingNow(registration, onRecord);
    if (standing)
      await transaction
        .updateTable('registrations')
        .set({ standing })
        .where('id', '=', registration.id)
        .execute();
  }
}

/** Undefined where it stays as it is. */
function standingNow(
  { standing }: RegistrationRow,
  onRecord: OnRecord,
): RegistrationRow['standing'] | undefined {
  try {
    const record = readRecord(onRecord);
    if (!record) return undefined;
    const place = placeOf(record);
    if (place === 'open' && standing !== 'taken') return undefined;
    return place === standing ? undefined : place;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}

/** Those that are on record otherwise, or not at all. */
async function findDifferent(
  transaction: Transaction,
  read: readonly PaymentRead[],
  ids: readonly string[],
): Promise<PaymentRead[]> {
  const rows = new Map((await readRows(transaction, ids)).map((row) => [row.id, row]));
  const refunds = new Map((await readRefunds(transaction, ids)).map((refund) => [refund.id, refund]));
  return read.filter(
    (one) =>
      !hasSame(rows.get(one.payment.id), one.payment) ||
      one.refunds.some((refund) => !hasSame<RefundRow>(refunds.get(refund.id), refund)),
  );
}

async function readRows(transaction: Transaction, ids: readonly string[]): Promise<readonly PaymentRow[]> {
  if (ids.length === 0) return [];
  return transaction.selectFrom('payments').selectAll().where('id', 'in', ids).execute();
}

/** Whether a row has these values. */
function hasSame<Values extends object>(row: Values | undefined, values: Values): boolean {
  const held = new Map<string, unknown>(Object.entries(row ?? {}));
  return Object.entries(values).every(([column, value]) => held.get(column) === value);
}
