import { sql } from 'kysely';
import type { Transaction } from '#server/database/engine.ts';
import type { Tables } from '#server/database/schema.ts';
import { readActs } from './acts.ts';
import { addressKey } from './bounces.ts';
import { addressesOf, lastOfKind, type Register } from './on-record.ts';
import { findRow } from './registrations.ts';

type Table = keyof Tables;
type Row = Readonly<Record<string, unknown>>;

/** The tables that carry a registration: the column that names it, by its id, its payments or its e-mail addresses. */
const CARRIERS = {
  registrations: { column: 'id', by: 'id' },
  registrationIndex: { column: 'registration', by: 'id' },
  waitingEntries: { column: 'took', by: 'id' },
  acts: { column: 'subject', by: 'id' },
  payments: { column: 'registration', by: 'id' },
  attempts: { column: 'registration', by: 'id' },
  installments: { column: 'registration', by: 'id' },
  entries: { column: 'registration', by: 'id' },
  payouts: { column: 'registration', by: 'id' },
  letters: { column: 'subject', by: 'id' },
  refunds: { column: 'payment', by: 'payment' },
  disputes: { column: 'payment', by: 'payment' },
  transactions: { column: 'payment', by: 'payment' },
  addresses: { column: 'digest', by: 'address' },
} as const satisfies {
  [T in Table]?: { column: keyof Tables[T]; by: 'id' | 'payment' | 'address' };
};
export const carriers = Object.keys(CARRIERS).filter(
  (name): name is keyof typeof CARRIERS => name in CARRIERS,
);

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

/** All that the register keeps about a registrant. */
export interface HerData {
  at: Date;
  /** Her rows by their tables, without the tables that have none. */
  tables: Readonly<Partial<Record<Table, readonly Row[]>>>;
  leftOut: Readonly<Record<string, string>>;
}

/**
 * Each row that carries a registration, of whichever table. Nothing of who had its place before it was handed over.
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
    const paid = await rowsIn(transaction, 'payments', [id]);
    const keys = {
      id: [id],
      payment: paid.map((row) => String(row.id)),
      address: addresses.map(addressKey),
    };
    const isHers = (table: Table, row: Row): boolean => {
      if (OF_ANOTHER.includes(row.kind)) return false;
      const to = table === 'letters' ? String(row.address ?? '').toLowerCase() : '';
      const at = row[HAPPENED_AT[table] ?? ''];
      const isEarlier = at instanceof Date && at < since;
      return !isEarlier && (to === '' || addresses.includes(to));
    };
    const tables: Partial<Record<Table, readonly Row[]>> = {};
    for (const table of carriers) {
      const rows = await rowsIn(transaction, table, keys[CARRIERS[table].by]);
      const hers = rows.filter((row) => isHers(table, row));
      if (hers.length > 0) tables[table] = hers.map((row) => shown(table, row, since));
    }
    return { at, tables, leftOut: LEFT_OUT };
  });
}

async function rowsIn(
  transaction: Transaction,
  table: keyof typeof CARRIERS,
  keys: readonly string[],
): Promise<readonly Row[]> {
  if (keys.length === 0) return [];
  const { column } = CARRIERS[table];
  const query = sql<Row>`select * from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(keys)})`;
  return (await query.execute(transaction)).rows;
}

function shown(table: Table, row: Row, since: Date): Row {
  const kept = Object.entries(row).filter(([column]) => !(`${table}.${column}` in LEFT_OUT));
  const isOthersCard = table === 'payments' && row.paidAt instanceof Date && row.paidAt < since;
  return { ...Object.fromEntries(kept), ...(isOthersCard && { card: null, postalCode: null }) };
}
