import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { sqliteTypes } from './columns.ts';
import { openDatabase } from './database.ts';
import { type Transaction, UnusableDatabaseError } from './engine.ts';
import { migrate } from './migrations.ts';
import { keyOf, type Tables, tableNames } from './schema.ts';
import { workAlone } from './sqlite.ts';

/** So many that the statement of a batch has fewer parameters than PostgreSQL takes (65 535). */
const BATCH = 500;

type Table = keyof Tables;
type Row = Readonly<Record<string, unknown>>;

export type Moved = readonly (readonly [table: Table, rows: number])[];

/**
 * Moves a register from an SQLite file into an empty PostgreSQL database, all of it or nothing. It stays the same
 * register, with its name. The file keeps its rows, but no process starts on it any more. After a crash it is called again.
 * @param note records the move in the register where it is then, once
 * @throws {UnusableDatabaseError} when a process uses the file, it was moved elsewhere before, its tables are those
 *   of a later release, or the other database holds something
 */
export async function moveRegister(
  { from, to }: { from: string; to: string },
  note: (register: Transaction) => Promise<unknown>,
): Promise<Moved> {
  const { host, pathname } = new URL(to);
  const there = host + pathname;
  const target = openDatabase(to);
  try {
    const moved = await workAlone(from, async (source) => {
      const { movedTo } = await source.selectFrom('register').select('movedTo').executeTakeFirstOrThrow();
      if (movedTo !== there) {
        await migrate(source, sqliteTypes);
        await target.write((transaction) => fill(transaction, source));
        await source.updateTable('register').set({ movedTo: there }).execute();
      }
      return countAll(source);
    });
    await target.write(note);
    return moved;
  } finally {
    await target.close();
  }
}

/** Copies all rows, unless they are there already, and compares them. */
async function fill(target: Transaction, source: Transaction): Promise<void> {
  const isEmpty = (await countAll(target)).every(([table, rows]) => table === 'register' || rows === 0);
  if (isEmpty) await target.deleteFrom('register').execute();
  for (const table of tableNames) {
    // A row may refer to an earlier one of its table.
    const rows = await rowsOf(source, table, sql`order by rowid`);
    if (isEmpty) await add(target, table, [...rows.values()]);
    if (!isDeepStrictEqual(await rowsOf(target, table), rows))
      throw new UnusableDatabaseError(
        isEmpty
          ? 'Nothing was moved: the other database does not give back what was written'
          : 'The other database holds something: the register can be moved into an empty one only',
      );
  }
}

async function countAll(transaction: Transaction): Promise<Moved> {
  const counts: (readonly [Table, number])[] = [];
  for (const table of tableNames) {
    const counted = sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`;
    counts.push([table, (await counted.execute(transaction)).rows[0]?.rows ?? 0]);
  }
  return counts;
}

/** All rows of a table by their keys. */
async function rowsOf(transaction: Transaction, table: Table, order = sql``): Promise<Map<unknown, Row>> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} ${order}`.execute(transaction);
  return new Map(rows.map((row) => [row[keyOf(table)], row]));
}

async function add(target: Transaction, table: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const names = sql.join(columns.map((column) => sql.ref(column)));
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    const values = batch.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(target);
  }
}
