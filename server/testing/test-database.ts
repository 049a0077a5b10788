import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DeleteResult, InsertResult, sql, UpdateResult } from 'kysely';
import pg from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { startPgBouncer, startPostgres } from '#scripts/product/postgres.ts';
import {
  type Database,
  keyOf,
  type NewRow,
  openDatabase,
  type RegistrationIndexRow,
  type RegistrationRow,
  type Tables,
  type Transaction,
  tableNames,
} from '#server/database/database.ts';
import { addAct, type NewAct, NOBODY, personColumns, UNTOUCHED } from '#server/registration/registration.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import { UNREADABLE } from '#server/worker/registration-index.ts';
import { REGISTER_AWAY } from '#shared/registration.ts';
import { cleanUp, inScope, type TestScope, testFolder } from './clean-up.ts';

/** Run a suite on each: `for (const engine of engines) describe(engine, …)`. */
export const engines = ['sqlite', 'postgres'] as const;
/** `pgbouncer` is PostgreSQL behind a pooler in transaction mode. */
export type EngineName = (typeof engines)[number] | 'pgbouncer';

/** An empty register for one test. */
export async function testDatabase(
  t: TestScope,
  engine: EngineName = 'sqlite',
): Promise<{ database: Database; url: string }> {
  const { database, url } = await bareDatabase(t, engine);
  return { database: twice(t, database), url };
}

/** The same for the tests of the database itself: each write runs once. */
export async function bareDatabase(
  t: TestScope,
  engine: EngineName = 'sqlite',
): Promise<{ database: Database; url: string }> {
  const url = await testDatabaseUrl(t, engine);
  const database = openBareDatabase(t, url);
  await migrate(database);
  return { database, url };
}

/**
 * The URL of a register in SQLite that no process uses. Closing alone would not do: statements keep the file open until
 * they are collected.
 */
export async function closedRegister(
  t: TestScope,
  write: (database: Database) => Promise<void>,
): Promise<string> {
  const { database, url } = await bareDatabase(t);
  await write(database);
  await database.close();
  const closed = await testDatabaseUrl(t, 'sqlite');
  await copyFile(fileURLToPath(url), fileURLToPath(closed));
  return closed;
}

/** Opens a database as a process does; it is closed after the test. */
export function openTestDatabase(t: TestScope, url: string): Database {
  return twice(t, openBareDatabase(t, url));
}

export function openBareDatabase(t: TestScope, url: string): Database {
  const database = openDatabase(url);
  cleanUp(t, database.close);
  return database;
}

/**
 * Runs each write twice, as when the answer to its COMMIT was lost: the second run has to return the same, and to change
 * nothing. Both are in one transaction, so that nobody else writes between them.
 */
function twice(t: TestScope, database: Database): Database {
  const problems: unknown[] = [];
  // The product may have kept the error to itself.
  t.after(() => assert.deepEqual(problems, []));
  return {
    ...database,
    write: (work) =>
      database.write(async (transaction) => {
        const first = await work(transaction);
        try {
          const count = await rowsWritten(transaction, database.engine);
          await sql`savepoint second_run`.execute(transaction);
          const second = await work(transaction);
          if (!isCount(first)) assert.deepEqual(second, first, 'The second run returns the same');
          if (count !== undefined && (await rowsWritten(transaction, database.engine)) === count)
            return first;
          const after = await contents(transaction);
          await sql`rollback to second_run`.execute(transaction);
          assert.deepEqual(after, await contents(transaction), 'The second run changes nothing');
        } catch (error) {
          problems.push(error);
          throw error;
        }
        return first;
      }),
  };
}

/** How many rows a connection to SQLite has written so far. PostgreSQL does not count them. */
async function rowsWritten(
  transaction: Transaction,
  engine: Database['engine'],
): Promise<number | undefined> {
  if (engine !== 'sqlite') return undefined;
  const { rows } = await sql<{ count: number }>`select total_changes() as count`.execute(transaction);
  return rows[0]?.count;
}

/** The rows that a statement has changed, which nobody reads as the result of a transaction. */
function isCount(result: unknown): boolean {
  const counts = [InsertResult, UpdateResult, DeleteResult];
  return (
    Array.isArray(result) &&
    result.length > 0 &&
    result.every((one) => counts.some((count) => one instanceof count))
  );
}

type Column = { [Table in keyof Tables]: `${Table}.${keyof Tables[Table] & string}` }[keyof Tables];

/** Rise with each change, or say when it was last made. */
const RISING: ReadonlySet<string> = new Set<Column>(['registrations.version', 'payments.version']);

/** All rows by their keys, without what may rise. */
async function contents(transaction: Transaction): Promise<ReadonlyMap<string, object>> {
  const rows = new Map<string, object>();
  for (const table of tableNames) {
    const read = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(transaction);
    for (const row of read.rows) {
      const kept = Object.entries(row).filter(([column]) => !RISING.has(`${table}.${column}`));
      rows.set(`${table} ${row[keyOf(table)]}`, Object.fromEntries(kept));
    }
  }
  return rows;
}

export async function testDatabaseUrl(
  t: TestScope,
  engine: EngineName,
  state: 'migrated' | 'empty' = 'migrated',
): Promise<string> {
  if (engine === 'sqlite') {
    const path = join(await testFolder(t, 'register'), 'register.sqlite');
    if (state === 'migrated') {
      migratedFile ??= makeMigratedFile();
      await writeFile(path, await migratedFile);
    }
    return pathToFileURL(path).href;
  }
  server ??= startServer();
  const { url } = await server;
  const name = `test_${++databases}`;
  await administer(
    url('postgres'),
    `create database ${name} template ${state === 'empty' ? 'template1' : TEMPLATE}`,
  );
  cleanUp(t, () => administer(url('postgres'), `drop database ${name} with (force)`));
  if (engine === 'postgres') return url(name);
  pooler ??= startPgBouncer(url(name), { pool_mode: 'transaction' });
  return (await pooler).url(name);
}

/** A file of SQLite with empty tables, which is copied for each test. */
let migratedFile: Promise<Buffer> | undefined;

function makeMigratedFile(): Promise<Buffer> {
  return inScope(async (scope) => {
    const url = await testDatabaseUrl(scope, 'sqlite', 'empty');
    await makeTables(url);
    return readFile(fileURLToPath(url));
  });
}

/** One server for all tests of this process, with a database that is copied for each test. */
let server: ReturnType<typeof startServer> | undefined;
let pooler: ReturnType<typeof startPgBouncer> | undefined;
let databases = 0;
const TEMPLATE = 'migrated';

async function startServer() {
  const started = await startPostgres();
  await administer(started.url('postgres'), `create database ${TEMPLATE}`);
  await makeTables(started.url(TEMPLATE));
  return started;
}

async function makeTables(url: string): Promise<void> {
  const database = openDatabase(url);
  await migrate(database);
  await database.close();
}

/** The tables are made at the first use. */
function migrate(database: Database): Promise<void> {
  return database.read(async () => {});
}

/** Runs a statement on a PostgreSQL database, on a connection of its own. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Begins a transaction as the only writer; it goes on until what is returned is called, or the test ends. */
export function occupy(
  t: TestScope,
  database: Database,
  work: (transaction: Transaction) => Promise<unknown> = async () => {},
): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const ended = database.write(async (transaction) => {
      if (isOver) return;
      isOver = true;
      await work(transaction);
      await new Promise<void>((leave) => {
        const end = (): Promise<void> => {
          leave();
          return ended;
        };
        cleanUp(t, end);
        resolve(end);
      });
    });
    ended.catch(reject);
  });
}

/** Whether an error is the register's being away, from a cause with these words. */
export function registerAway(cause: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof AppError, String(error));
    const { code, status, retryAfterS } = error;
    assert.deepEqual({ code, status, retryAfterS }, { code: REGISTER_AWAY, status: 503, retryAfterS: 5 });
    assert.match(causeOf(error).message, cause);
    return true;
  };
}

export function registration(id: string): NewRow<'registrations'> {
  return {
    ...UNTOUCHED,
    id,
    edition: '2026-01',
    begunAt: new Date('2026-01-22T16:30:00Z'),
    ...personColumns(NOBODY),
    standing: 'open',
    heldUntil: new Date('2026-01-22T17:00:00Z'),
  };
}

/** Puts registrations on record of which the worker found something when it looked at them. */
export async function insertFound(
  database: Database,
  ...found: readonly (Partial<Pick<RegistrationIndexRow, 'state' | 'overdue' | 'attention' | 'dueAt'>> &
    Partial<Pick<RegistrationRow, 'standing'>>)[]
): Promise<void> {
  const edition = 'january-2026';
  await database.write(async (transaction) => {
    for (const [index, { standing = 'open', ...one }] of found.entries()) {
      const id = `found ${index}`;
      const row = { ...registration(id), edition, standing };
      const { version, begunAt } = row;
      await transaction
        .insertInto('registrations')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const look = { ...UNREADABLE, lookedAt: begunAt };
      const looked = { ...look, registration: id, edition, version, begunAt, ...one };
      await transaction
        .insertInto('registrationIndex')
        .values(looked)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
}

export async function insertRegistrations(database: Database, ...names: string[]): Promise<void> {
  await database.write(async (transaction) => {
    for (const name of names)
      await transaction.insertInto('registrations').values(registration(name)).execute();
  });
}

/** The names of all registrations, sorted. */
export async function registrations(database: Database): Promise<string[]> {
  const rows = await database.read((transaction) =>
    transaction.selectFrom('registrations').select('id').orderBy('id').execute(),
  );
  return rows.map(({ id }) => id);
}

/** Everything that the register holds. */
export async function textOf(database: Database): Promise<string> {
  const read = await database.read(async (transaction) => {
    const tables = await transaction.introspection.getTables();
    return Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(transaction)));
  });
  return JSON.stringify(read.map(({ rows }) => rows));
}

/** Records an act about a registration, as a process does that dies right after it; returns its id. */
export async function recordAct(
  database: Database,
  subject: string,
  kind: NewAct['kind'],
  { at, by = 'Anna', undoes, ...facts }: { at: Date; by?: string; undoes?: string; [fact: string]: unknown },
): Promise<string> {
  const id = uuidV7();
  await database.write((transaction) =>
    addAct(transaction, { id, subject, kind, at, by, facts, ...(undoes && { undoes }) }),
  );
  return id;
}
