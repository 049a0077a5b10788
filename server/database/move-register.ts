import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { openDatabase } from './database.ts';
import { type Transaction, UnusableDatabaseError } from './engine.ts';
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
 * @throws {UnusableDatabaseError} when a process uses the file, it was moved before, its tables are not those of
 *   this release, or the other database holds something
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
      const { movedTo } = await registerIn(source);
      if (movedTo === there) return target.read(countAll);
      if (movedTo !== null) throw new UnusableDatabaseError(`The register was moved to ${movedTo} before`);
      const counts = await target.write((transaction) => fill(transaction, source));
      await source.updateTable('register').set({ movedTo: there }).execute();
      return counts;
    });
    await target.write(note);
    return moved;
  } finally {
    await target.close();
  }
}

/** Copies all rows, unless they are there already, and compares them. */
async function fill(target: Transaction, source: Transaction): Promise<Moved> {
  const [{ migration: has }, { migration: needs }] = [await registerIn(target), await registerIn(source)];
  if (has !== needs)
    throw new UnusableDatabaseError(
      `The register has the tables of another release (migration ${needs}, not ${has}): start this release on it first`,
    );
  const isEmpty = (await countAll(target)).every(([table, rows]) => table === 'register' || rows === 0);
  if (isEmpty) {
    await target.deleteFrom('register').execute();
    for (const table of tableNames)
      for await (const rows of batches(source, table)) await add(target, table, rows);
  }
  const counts = await countAll(source);
  const isSame = isDeepStrictEqual(await countAll(target), counts) && (await holdsAll(target, source));
  if (!isSame)
    throw new UnusableDatabaseError(
      isEmpty
        ? 'Nothing was moved: the other database does not give back what was written'
        : 'The other database holds something: the register can be moved into an empty one only',
    );
  return counts;
}

const registerIn = (transaction: Transaction) =>
  transaction.selectFrom('register').select(['migration', 'movedTo']).executeTakeFirstOrThrow();

async function countAll(transaction: Transaction): Promise<Moved> {
  const counts: (readonly [Table, number])[] = [];
  for (const table of tableNames) {
    const counted = sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`;
    counts.push([table, (await counted.execute(transaction)).rows[0]?.rows ?? 0]);
  }
  return counts;
}

/** All rows of a table in SQLite, in the order in which they were added. */
async function* batches(source: Transaction, table: Table): AsyncGenerator<readonly Row[]> {
  for (let at = 0; ; at += BATCH) {
    const query = sql<Row>`select * from ${sql.table(table)} order by rowid limit ${BATCH} offset ${at}`;
    const { rows } = await query.execute(source);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH) return;
  }
}

async function add(target: Transaction, table: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(target);
}

async function holdsAll(target: Transaction, source: Transaction): Promise<boolean> {
  for (const table of tableNames) {
    const key = keyOf(table);
    for await (const rows of batches(source, table)) {
      const keys = sql.join(rows.map((row) => row[key]));
      const query = sql<Row>`select * from ${sql.table(table)} where ${sql.ref(key)} in (${keys})`;
      const found = new Map((await query.execute(target)).rows.map((row) => [row[key], row]));
      if (!rows.every((row) => isDeepStrictEqual(row, found.get(row[key])))) return false;
    }
  }
  return true;
}
