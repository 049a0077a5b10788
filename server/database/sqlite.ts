import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { type Kysely, SqliteDialect, type SqliteStatement } from 'kysely';
import { sqliteTypes } from './columns.ts';
import { SqliteCompiler } from './dates.ts';
import {
  type Engine,
  execute,
  type Kind,
  queriesOver,
  type Transaction,
  UnusableDatabaseError,
} from './engine.ts';
import type { Tables } from './schema.ts';
import { openFile } from './sqlite-library.ts';

/** How long the start waits for another process that starts; the event loop stands still meanwhile. */
const START_TIMEOUT_MS = 5_000;
/** How long a statement waits for another process, likewise. */
const BUSY_TIMEOUT_MS = 5;
/** After which time a transaction tries again to get its turn, at most; the event loop goes on meanwhile. */
const TURN_AGAIN_MS = 15;

/** How many prepared statements are kept; to prepare one takes ten times as long as to run it. */
const MOST_STATEMENTS = 200;

/** Types of file systems, as statfs(2) has them, whose locks do not reach other hosts reliably. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
]);

/**
 * Opens an SQLite file on this host's local disk, at a URL such as `file:/data/register.sqlite`.
 * @throws {UnusableDatabaseError} when the file cannot be opened for writing or lies on a network file system
 */
export function openSqlite(url: string): Engine {
  const path = fileURLToPath(url);
  const { file, readFile } = explained(path, () => openFiles(path));
  const rollback = async (connection: Transaction, kind: Kind): Promise<void> => {
    // After "disk full" and the like SQLite has rolled back itself.
    if ((kind === 'read' ? readFile : file).isTransaction) await execute(connection, 'rollback');
  };
  return {
    name: 'sqlite',
    types: sqliteTypes,
    writer: connect(file),
    reader: connect(readFile),
    async begin(connection, kind, deadline) {
      // SQLite answers at once: without this, those who wait for their turn would let the process do nothing else.
      await nextTurn();
      for (;;) {
        try {
          await execute(connection, kind === 'write' ? 'begin immediate' : 'begin');
          // The state is the one at the first read.
          if (kind === 'read') await execute(connection, 'select 1 from sqlite_schema limit 1');
          return;
        } catch (error) {
          await rollback(connection, kind);
          if (codeOf(error) !== SQLITE_BUSY || Date.now() > deadline) throw error;
          await delay(TURN_AGAIN_MS * Math.random());
        }
      }
    },
    rollback,
    failureOf: (error) => failureOf(error, path),
    async close() {
      readFile.close();
      try {
        // Prepared statements keep the file open until they are collected, so closing alone leaves facts in the log.
        file.exec('pragma wal_checkpoint(truncate)');
      } catch {
        // Then they stay there, and the next start finds them.
      }
      file.close();
    },
  };
}

/**
 * Runs work in one transaction on a file that no other process uses; meanwhile none can open it.
 * @throws {UnusableDatabaseError} when it cannot be opened, or a process uses it
 */
export async function workAlone<Result>(
  url: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const path = fileURLToPath(url);
  const file = explained(path, () => {
    accessSync(path, constants.W_OK);
    return openFile(path, { timeout: START_TIMEOUT_MS });
  });
  try {
    explained(path, () => closeToOthers(file));
    const result = await connect(file).connection().execute(work);
    file.exec('commit');
    return result;
  } finally {
    if (file.isTransaction) file.exec('rollback');
    file.close();
  }
}

/** Begins a transaction during which no other process can open the file. */
function closeToOthers(file: DatabaseSyncInstance): void {
  const inUse = 'a process uses it: stop app and worker first';
  try {
    // Without the log one process keeps all others out; it can be turned off only while no other has the file open.
    file.exec('pragma journal_mode = delete; pragma synchronous = full; begin exclusive');
  } catch (cause) {
    throw codeOf(cause) === SQLITE_BUSY ? new Error(inUse, { cause }) : cause;
  }
  // Another one came in between.
  if (answer(file, 'pragma journal_mode') !== 'delete') throw new Error(inUse);
}

function openFiles(path: string): { file: DatabaseSyncInstance; readFile: DatabaseSyncInstance } {
  const folder = dirname(path);
  if (!existsSync(folder)) throw new Error('its folder does not exist: make it, or mount the volume there');
  const network = networkFileSystem(statfsSync(folder).type);
  if (network)
    throw new Error(
      `on a network file system (${network}) SQLite loses data: use a local disk, or PostgreSQL`,
    );
  // SQLite itself would open a file read-only, and stay so when it can be written again.
  accessSync(folder, constants.W_OK);
  if (existsSync(path)) accessSync(path, constants.W_OK);
  // Two processes may turn the log on at the same time.
  const file = openFile(path, { timeout: START_TIMEOUT_MS });
  const mode = answer(file, 'pragma journal_mode = wal');
  if (mode !== 'wal') throw new Error(`its log cannot be turned on (${mode})`);
  file.exec(`pragma synchronous = full; pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Long reads, such as the office's spreadsheet, do not keep the writer waiting.
  return { file, readFile: openFile(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }) };
}

/** The name of a network file system by its type in statfs(2); undefined for all others. */
export function networkFileSystem(type: number): string | undefined {
  return NETWORK_FILE_SYSTEMS.get(type);
}

/** @throws {UnusableDatabaseError} that says why a file cannot be opened */
function explained<Result>(path: string, open: () => Result): Result {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof UnusableDatabaseError) throw cause;
    const why = cause instanceof Error ? cause.message : cause;
    throw new UnusableDatabaseError(`The register ${path} cannot be used: ${why}`, { cause });
  }
}

/** @see https://sqlite.org/rescode.html: busy, locked, read-only, I/O error, full, cannot open; corrupt, not a database. */
const SQLITE_BUSY = 5;
const AWAY_CODES = new Set([SQLITE_BUSY, 6, 8, 10, 13, 14]);
const DAMAGED_CODES = new Set([11, 26]);

function failureOf(error: unknown, path: string): ReturnType<Engine['failureOf']> {
  const code = codeOf(error) ?? 0;
  if (error instanceof Error && DAMAGED_CODES.has(code)) {
    const message = `The register ${path} is damaged (${error.message}): restore a copy`;
    return new UnusableDatabaseError(message, { cause: error });
  }
  return AWAY_CODES.has(code) ? 'away' : undefined;
}

/** The primary result code of an error of SQLite: the low byte of the extended one. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Gives Kysely the interface that it expects of an SQLite driver. */
function connect(file: DatabaseSyncInstance): Kysely<Tables> {
  const statements = new Map<string, SqliteStatement>();
  const prepare = (sql: string): SqliteStatement => {
    const statement = statements.get(sql) ?? prepared(file, sql);
    if (statements.size >= MOST_STATEMENTS) statements.clear();
    statements.set(sql, statement);
    return statement;
  };
  // Both files are closed together, also one that was never used.
  return queriesOver(new SqliteDialect({ database: { prepare, close() {} } }), new SqliteCompiler());
}

function prepared(file: DatabaseSyncInstance, sql: string): SqliteStatement {
  const statement = file.prepare(sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters),
    run: (parameters) => statement.run(...parameters),
    iterate: (parameters) => statement.iterate(...parameters),
  };
}

function answer(file: DatabaseSyncInstance, query: string): string {
  const row: unknown = file.prepare(query).get();
  return String(Object.values(row ?? {})[0]);
}
