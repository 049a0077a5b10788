import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { sqliteTypes } from './columns.ts';
import { type Transaction, UnusableDatabaseError } from './engine.ts';
import { migrate } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { keyOf, type Tables, tableNames } from './schema.ts';
import { workAlone } from './sqlite.ts';

/** PostgreSQL takes 65 535 parameters in a statement. */
const BATCH = 500;

type Table = keyof Tables;
type Row = Readonly<Record<string, unknown>>;

/**
 * Moves a register from an SQLite file into an empty PostgreSQL database, all of it or nothing. No process starts on the
 * file any more. After a crash it is called again.
 * @param note records the move in the register where it is then, once
 * @throws {UnusableDatabaseError} when one of the two cannot be used, or the other database holds something
 */
export async function moveRegister(
  { from, to }: { from: string; to: string },
  note: (register: Transaction) => Promise<unknown>,
): Promise<void> {
  const { host, pathname } = new URL(to);
  const there = host + pathname;
  const target = openDatabase(to);
  try {
    await workAlone(from, async (source) => {
      const { movedTo } = await source.selectFrom('register').select('movedTo').executeTakeFirstOrThrow();
      if (movedTo === there) return;
      await migrate(source, sqliteTypes);
      await target.write((transaction) => fill(transaction, source));
      await source.updateTable('register').set({ movedTo: there }).execute();
    });
    await target.write(note);
  } finally {
    await target.close();
  }
}

async function fill(target: Transaction, source: Transaction): Promise<void> {
  // Its own row was made with its tables.
  await target.deleteFrom('register').execute();
  for (const table of tableNames) {
    // A row may refer to an earlier one of its table.
    const rows = await rowsOf(source, table, sql`order by rowid`);
    await add(target, table, [...rows.values()]);
    if (!isDeepStrictEqual(await rowsOf(target, table), rows))
      throw new UnusableDatabaseError(
        `Nothing was moved: ${table} of the other database holds something else. The register can be moved into an empty one only`,
      );
  }
}

async function rowsOf(transaction: Transaction, table: Table, order = sql``): Promise<Map<unknown, Row>> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} ${order}`.execute(transaction);
  return new Map(rows.map((row) => [row[keyOf(table)], row]));
}

async function add(target: Transaction, table: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const names = sql.join(columns.map((column) => sql.ref(column)));
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    const values = sql.join(batch.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`));
    const insert = sql`insert into ${sql.table(table)} (${names}) values ${values} on conflict do nothing`;
    await insert.execute(target);
  }
}
