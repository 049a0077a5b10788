import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DatabaseSyncInstance, DatabaseSyncOptions, SqliteModule } from '@photostructure/sqlite';
import { type Kysely, SqliteDialect, type SqliteStatement } from 'kysely';
import { SqliteCompiler, sqliteTypes } from './columns.ts';
import { type Engine, type Failure, queriesOver, type Transaction, UnusableDatabaseError } from './engine.ts';
import type { Tables } from './schema.ts';

/** How long the start waits for another process that starts; the event loop stands still meanwhile. */
const START_TIMEOUT_MS = 5_000;

/** Without them registrations and letters take a fifth more CPU time (`registration-cpu`, `letters-cpu`). */
const MOST_PREPARED = 200;

/** Types of file systems, as statfs(2) has them, whose locks do not reach other hosts reliably. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
]);

/** @throws {UnusableDatabaseError} when the file cannot be opened for writing or lies on a network file system */
export function openSqlite(url: string): Engine {
  const path = fileURLToPath(url);
  const { write, read } = explained(path, () => openFiles(path));
  return {
    name: 'sqlite',
    types: sqliteTypes,
    connections: { write: connect(write), read: connect(read) },
    begin: { write: 'begin immediate', read: 'begin' },
    failureOf: (error) => failureOf(error, path),
    async close() {
      read.close();
      try {
        // Prepared statements keep the file open until they are collected, so closing alone leaves facts in the log.
        write.exec('pragma wal_checkpoint(truncate)');
      } catch {
        // Then they stay there, and the next start finds them.
      }
      write.close();
    },
  };
}

function openFiles(path: string): { write: DatabaseSyncInstance; read: DatabaseSyncInstance } {
  const folder = dirname(path);
  if (!existsSync(folder)) throw new Error('its folder does not exist: make it, or mount the volume there');
  const network = NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type);
  if (network)
    throw new Error(
      `on a network file system (${network}) SQLite loses data: use a local disk, or PostgreSQL`,
    );
  // SQLite itself would open a file read-only, and stay so when it can be written again.
  accessSync(folder, constants.W_OK);
  if (existsSync(path)) accessSync(path, constants.W_OK);
  // Two processes may turn the log on at the same time.
  const write = openFile(path, { timeout: START_TIMEOUT_MS });
  const mode = journalMode(write, ' = wal');
  if (mode !== 'wal') throw new Error(`its log cannot be turned on (${mode})`);
  write.exec('pragma synchronous = full; pragma busy_timeout = 0');
  // Long reads, such as the office's spreadsheet, do not keep the writer waiting.
  return { write, read: openFile(path, { readOnly: true }) };
}

/** @throws {UnusableDatabaseError} when the file cannot be opened, or a process uses it */
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
  if (journalMode(file) !== 'delete') throw new Error(inUse);
}

function journalMode(file: DatabaseSyncInstance, change = ''): string {
  const [row] = file.prepare(`pragma journal_mode${change}`).all();
  return String(row?.journal_mode);
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

/** @see https://sqlite.org/rescode.html: locked, read-only, I/O error, full, cannot open; corrupt, not a database. */
const SQLITE_BUSY = 5;
const AWAY_CODES = new Set([6, 8, 10, 13, 14]);
const DAMAGED_CODES = new Set([11, 26]);

function failureOf(error: unknown, path: string): Failure | undefined {
  const code = codeOf(error) ?? 0;
  if (error instanceof Error && DAMAGED_CODES.has(code)) {
    const message = `The register ${path} is damaged (${error.message}): restore a copy`;
    return new UnusableDatabaseError(message, { cause: error });
  }
  if (code === SQLITE_BUSY) return 'busy';
  return AWAY_CODES.has(code) ? 'away' : undefined;
}

/** The primary result code of an error of SQLite: the low byte of the extended one. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

function connect(file: DatabaseSyncInstance): Kysely<Tables> {
  const statements = new Map<string, SqliteStatement>();
  const prepare = (query: string): SqliteStatement => {
    const statement = statements.get(query) ?? prepared(file, query);
    if (statements.size >= MOST_PREPARED) statements.clear();
    statements.set(query, statement);
    return statement;
  };
  // Both files are closed together, also one that was never used.
  return queriesOver(new SqliteDialect({ database: { prepare, close() {} } }), new SqliteCompiler());
}

function prepared(file: DatabaseSyncInstance, query: string): SqliteStatement {
  const statement = file.prepare(query);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters),
    run: (parameters) => statement.run(...parameters),
    iterate: (parameters) => statement.iterate(...parameters),
  };
}

/** Before, two processes can corrupt the file at a checkpoint. https://sqlite.org/changes.html */
const SAFE_VERSION = '3.51.3';

export function isSafeVersion(version: string): boolean {
  return version.localeCompare(SAFE_VERSION, 'en', { numeric: true }) >= 0;
}

/** @throws {UnusableDatabaseError} without a safe SQLite */
export function openFile(path: string, options: DatabaseSyncOptions = {}): DatabaseSyncInstance {
  const { DatabaseSync } = load();
  return new DatabaseSync(path, { ...options, enableForeignKeyConstraints: true });
}

/** Node's own SQLite where it is safe, else a package with the same interface. */
function load(): Pick<SqliteModule, 'DatabaseSync'> {
  const { emitWarning } = process;
  // Node 22 warns that its own is experimental.
  process.emitWarning = () => {};
  try {
    const isOwn = isSafeVersion(process.versions.sqlite ?? '');
    return createRequire(import.meta.url)(isOwn ? 'node:sqlite' : '@photostructure/sqlite');
  } catch (cause) {
    throw new UnusableDatabaseError(
      `Node ${process.versions.node} has no safe SQLite, and @photostructure/sqlite, which npm ci --omit=optional leaves out, cannot be loaded: use the latest Node 24, or PostgreSQL`,
      { cause },
    );
  } finally {
    process.emitWarning = emitWarning;
  }
}
