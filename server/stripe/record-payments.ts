import type Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { PaymentRow, RegistrationRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import {
  type OnRecord,
  readAllOnRecord,
  readDisputeRows,
  readRefunds,
} from '#server/registration/on-record.ts';
import { readRecord } from '#server/registration/read-record.ts';
import { placeOf } from '#server/registration/registration-state.ts';
import { hasSame } from '#server/registration/registrations.ts';
import { type PaymentRead, readDisputes, readPayment, recognise } from './payment-at-stripe.ts';

/** An upper limit that no real payment reaches. */
const MOST_REFUNDS = 1_000;

/**
 * What was recorded when a process began to read Stripe: what somebody else records after that may be newer than what
 * the process reads.
 */
export type Version = number;

/** To be taken before Stripe is read. */
export function versionNow(database: Database): Promise<Version> {
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
 * Payments as Stripe shows them, in the form in which they are recorded; those of other shops are left out.
 * @param intents expanded by `RECORD_EXPANSION`
 */
export async function readPayments(
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
 * @returns the deposits of the payments that somebody else has recorded otherwise since then: these are left as they are
 */
export async function recordPayments(
  database: Database,
  read: readonly PaymentRead[],
  since: Version,
): Promise<ReadonlySet<string>> {
  const before = await database.read((transaction) => readHeld(transaction, read));
  if (areOnRecord(before, read)) return new Set();
  return database.write(async (transaction) => {
    const held = await readHeld(transaction, read);
    const different = read.filter((one) => !areOnRecord(held, [one]));
    const versions = new Map(held.payments.map(({ id, version }) => [id, version]));
    const isNewer = ({ payment }: PaymentRead) => (versions.get(payment.id) ?? 0) > since;
    await writePayments(
      transaction,
      different.filter((one) => !isNewer(one)),
    );
    return new Set(different.filter(isNewer).map(({ payment }) => payment.registration));
  });
}

type Held = Pick<OnRecord, 'payments' | 'refunds' | 'disputes'>;

export function areOnRecord({ payments, refunds, disputes }: Held, read: readonly PaymentRead[]): boolean {
  const rows = new Map(payments.map((row) => [row.id, row]));
  const held = new Map([...refunds, ...disputes].map((row) => [row.id, row]));
  return read.every(
    (one) =>
      hasSame(rows.get(one.payment.id), one.payment) &&
      [...one.refunds, ...one.disputes].every((row) => hasSame(held.get(row.id), row)),
  );
}

async function readHeld(transaction: Transaction, read: readonly PaymentRead[]): Promise<Held> {
  const ids = read.map(({ payment }) => payment.id);
  const payments = await rowsWith(transaction, 'payments', 'id', ids);
  const refunds = await readRefunds(transaction, ids);
  return { payments, refunds, disputes: await readDisputeRows(transaction, ids) };
}

/** Records payments, their refunds and their disputes, whatever is on record of them. */
export async function writePayments(transaction: Transaction, read: readonly PaymentRead[]): Promise<void> {
  if (read.length === 0) return;
  const version = (await newestVersion(transaction)) + 1;
  const recordedAt = new Date().toISOString();
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
  const depositsOf = (some: readonly PaymentRead[]) => [
    ...new Set(some.map(({ payment }) => payment.registration)),
  ];
  await noteChange(transaction, ...depositsOf(read));
  // A payment that is open was never paid: whoever holds a place keeps it.
  await settlePlaces(transaction, depositsOf(read.filter(({ payment }) => payment.status !== 'open')));
}

/**
 * Writes which registrations are paid and take a place of their edition, as their payments and acts say. One that is not paid keeps
 * the place that is held for it, if any; of one that cannot be read, nothing is known.
 */
export async function settlePlaces(transaction: Transaction, deposits: readonly string[]): Promise<void> {
  const all = await readAllOnRecord(transaction, deposits);
  for (const onRecord of all.values()) {
    const { registration } = onRecord;
    const settled = registration && settledNow(registration, onRecord);
    if (settled)
      await transaction.updateTable('registrations').set(settled).where('id', '=', registration.id).execute();
  }
}

/** Undefined where it stays as it is. */
function settledNow(
  { standing, paidAt: heldPaidAt }: RegistrationRow,
  onRecord: OnRecord,
): Pick<RegistrationRow, 'standing' | 'paidAt'> | undefined {
  try {
    const record = readRecord(onRecord);
    if (!record) return undefined;
    const place = placeOf(record);
    const paidAt = record.deposit === 'paid' ? (record.paidAt?.toISOString() ?? null) : null;
    const isKept = place === 'open' && standing !== 'taken';
    const settled = { standing: isKept ? standing : place, paidAt };
    return settled.standing === standing && paidAt === heldPaidAt ? undefined : settled;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}
