import { sql } from 'kysely';
import { rowsWith, type Tables, tableNames, tables } from '#server/database/database.ts';
import { addressesOf, lastOfKind, type Register, readActs } from './acts.ts';
import { sha256Of } from './links.ts';
import { findRow } from './registrations.ts';

type Table = keyof Tables;
type Row = Readonly<Record<string, unknown>>;

/** What is left out, and why. All else is in the export, also what a later release adds. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'registrations.secretDigest': 'made from the secret of the payment',
  'registrations.begunWith': 'a digest of the details, which are here',
  'registrations.namesBefore': 'of who had the place before her',
  'addresses.digest': 'a digest of the address, which is here',
};

/** Acts that name somebody else, who had the place before her or is to get it. */
const OF_ANOTHER: readonly unknown[] = ['handed-over', 'handOver'];

/** When what a row tells happened: before a place was handed over, that was another person's. */
const HAPPENED_AT: Readonly<Partial<Record<Table, string>>> = {
  acts: 'happenedAt',
  attempts: 'begunAt',
  letters: 'owedAt',
};

interface HerData {
  at: Date;
  /** Her rows by their tables, without the tables that have none. */
  tables: Readonly<Partial<Record<Table, readonly Row[]>>>;
  leftOut: Readonly<Record<string, string>>;
}

/**
 * Each row that names a registration, its payments or its e-mail addresses, of whichever table. Nothing of who had its place
 * before it was handed over.
 * @returns undefined if there is none
 * @see https://eur-lex.europa.eu/eli/reg/2016/679/oj Article 15
 */
export async function exportOf({ database }: Register, id: string, at: Date): Promise<HerData | undefined> {
  return database.read(async (transaction) => {
    const own = await findRow(transaction, id);
    if (!own) return undefined;
    const acts = await readActs(transaction, id);
    const addresses = addressesOf(own, acts);
    const since = lastOfKind(acts, 'handed-over')?.at ?? new Date(0);
    const payments = await rowsWith(transaction, 'payments', 'registration', [id]);
    const keys: Readonly<Record<string, readonly string[]>> = {
      registration: [id],
      subject: [id],
      payment: payments.map((payment) => payment.id),
      digest: addresses.map(sha256Of),
    };
    const isHers = (table: Table, row: Row): boolean => {
      if (OF_ANOTHER.includes(row.kind)) return false;
      // Somebody else may have been given the link of an offer.
      const isAddressed = table === 'letters' || table === 'waitingEntries';
      const to = isAddressed ? String(row.address ?? '').toLowerCase() : '';
      const at = row[HAPPENED_AT[table] ?? ''];
      const isEarlier = at instanceof Date && at < since;
      return !isEarlier && (to === '' || addresses.includes(to));
    };
    const found: Partial<Record<Table, readonly Row[]>> = {
      registrations: [shown('registrations', own, since)],
    };
    for (const table of tableNames) {
      const column = Object.keys(keys).find((one) => one in tables[table]) ?? 'id';
      const values =
        keys[column] ?? (table === 'waitingEntries' && own.waiting !== null ? [own.waiting] : []);
      if (values.length === 0) continue;
      const query = sql<Row>`select * from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(values)})`;
      const hers = (await query.execute(transaction)).rows.filter((row) => isHers(table, row));
      if (hers.length > 0) found[table] = hers.map((row) => shown(table, row, since));
    }
    return { at, tables: found, leftOut: LEFT_OUT };
  });
}

function shown(table: Table, row: Row, since: Date): Row {
  const kept = Object.entries(row).filter(([column]) => !(`${table}.${column}` in LEFT_OUT));
  const isOthersCard = table === 'payments' && row.paidAt instanceof Date && row.paidAt < since;
  return { ...Object.fromEntries(kept), ...(isOthersCard && { card: null, postalCode: null }) };
}
