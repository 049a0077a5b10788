import { sql } from 'kysely';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import {
  type AttemptRow,
  type EntryRow,
  type PaymentRow,
  type PayoutRow,
  tables,
} from '#server/database/schema.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { readActs } from './acts.ts';
import { agreedTermsOf } from './agreed-terms.ts';
import type { LedgerRecord } from './installments.ts';
import type { Ledger } from './ledger.ts';

/** The ledgers of registrations; one that is not on record has none. */
export async function readLedgers(
  transaction: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Ledger>> {
  const installments = await rowsWith(transaction, 'installments', 'registration', ids, 'position');
  const { entries, payouts } = await readMoney(transaction, ids);
  const ledgers = ids.map((registration) => {
    const isOwn = (row: { registration: string }) => row.registration === registration;
    return {
      registration,
      installments: installments.filter(isOwn),
      entries: entries.filter(isOwn),
      payouts: payouts.filter(isOwn),
    };
  });
  return new Map(ledgers.map((ledger) => [ledger.registration, ledger]));
}

type MoneyTable = 'entries' | 'payouts';
const isEntry = (row: object): row is EntryRow => 'kind' in row && row.kind !== null;
const isPayout = (row: object): row is PayoutRow => 'state' in row && row.state !== null;

/** The entries in their order, and the payouts, in one query. */
async function readMoney(
  transaction: Transaction,
  ids: readonly string[],
): Promise<Pick<Ledger, MoneyTable>> {
  if (ids.length === 0) return { entries: [], payouts: [] };
  const columns = Object.keys({ ...tables.entries, ...tables.payouts });
  const isOf = (table: MoneyTable, name: string) => name in tables[table];
  const all = (table: MoneyTable) => {
    const columnOf = (name: string) => (isOf(table, name) ? sql.ref(name) : sql.lit(null));
    const values = columns.map((name) => sql`${columnOf(name)} as ${sql.ref(name)}`);
    return sql`select ${sql.join(values)} from ${sql.table(table)} where registration in (${sql.join(ids)})`;
  };
  const query = sql<object>`${all('entries')} union all ${all('payouts')} order by position, id`;
  const pairs = (await query.execute(transaction)).rows.map((row) => Object.entries(row));
  const of = (table: MoneyTable) =>
    pairs.map((row) => Object.fromEntries(row.filter(([name]) => isOf(table, name))));
  return { entries: of('entries').filter(isEntry), payouts: of('payouts').filter(isPayout) };
}

/** A ledger, and what a change of it depends on; undefined for what is no registration, or is one of another release. */
export async function readForChange(
  transaction: Transaction,
  id: string,
): Promise<{ ledger: Ledger; record: LedgerRecord } | undefined> {
  const [row] = await rowsWith(transaction, 'registrations', 'id', [id]);
  const edition = row && findEdition(row.edition);
  const ledger = (await readLedgers(transaction, [id])).get(id);
  if (!edition || !ledger || ledger.installments.length === 0) return undefined;
  const acts = await readActs(transaction, id);
  const attempts = await rowsWith(transaction, 'attempts', 'registration', [id]);
  const payments = await rowsWith(transaction, 'payments', 'registration', [id]);
  const record = {
    registration: id,
    begunAt: row.begunAt,
    acts,
    terms: agreedTermsOf(edition, acts) ?? edition.facts,
    termsBefore: agreedTermsOf(edition, acts.slice(0, -1)),
    trying: triedNumbers(attempts, payments),
  };
  return { ledger, record };
}

/**
 * The numbers that have a try without a result. A try without an end has its result once its payment is paid or cancelled: a
 * worker that was killed may never record it.
 */
export function triedNumbers(
  attempts: readonly Pick<AttemptRow, 'number' | 'endedAt' | 'payment'>[],
  payments: readonly Pick<PaymentRow, 'id' | 'status'>[],
): readonly number[] {
  const ended = payments.filter(({ status }) => status === 'paid' || status === 'cancelled');
  const ids = new Set(ended.map(({ id }) => id));
  const open = attempts.filter(({ endedAt, payment }) => endedAt === null && !ids.has(payment));
  return open.map(({ number }) => number);
}
