import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { CamelCasePlugin, Kysely, SqliteDialect } from 'kysely';
import { type Engine, execute } from './engine.ts';
import type { Tables } from './schema.ts';

/** How long a statement waits for another process; the event loop stands still meanwhile. */
const BUSY_TIMEOUT_MS = 100;
/** How long a transaction waits for its turn in all; between attempts the event loop goes on. */
const TURN_TIMEOUT_MS = 5_000;
const TURN_AGAIN_MS = 20;

/**
 * Before these versions two processes that write and checkpoint at the same time can corrupt the file.
 * @see https://sqlite.org/changes.html 3.51.3, 3.50.7, 3.44.6
 */
const SAFE_VERSIONS = [
  [3, 51, 3],
  [3, 50, 7],
  [3, 44, 6],
] as const;

/** Types of file systems, as statfs(2) has them, whose locks do not reach other hosts reliably. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
]);

/**
 * Opens an SQLite file on this host's local disk, at a URL such as `file:/data/register.sqlite`.
 * @throws {Error} when the file cannot be opened, lies on a network file system, or SQLite is too old
 */
export function openSqlite(url: string): Engine {
  const path = fileURLToPath(new URL(url));
  refuseNetwork(dirname(path));
  const file = open(path, {});
  // The busy timeout is set before: two processes may turn the log on at the same time.
  file.exec('pragma journal_mode = wal');
  file.exec('pragma synchronous = full');
  refuseOld(file);
  // Long reads, such as the office's spreadsheet, do not keep the writer waiting.
  const readFile = open(path, { readOnly: true });
  const writer = connect(file);
  const reader = connect(readFile);
  return {
    name: 'sqlite',
    momentType: 'text',
    writer,
    reader,
    async beginWriting(connection) {
      const deadline = Date.now() + TURN_TIMEOUT_MS;
      for (;;) {
        try {
          await execute(connection, 'begin immediate');
          return;
        } catch (error) {
          if (codeOf(error) !== SQLITE_BUSY || Date.now() > deadline) throw error;
          await delay(TURN_AGAIN_MS * (1 + Math.random()));
        }
      }
    },
    beginReading: (connection) => execute(connection, 'begin'),
    async rollback(connection, kind) {
      // After "disk full" and the like SQLite has rolled back itself.
      if ((kind === 'read' ? readFile : file).isTransaction) await execute(connection, 'rollback');
    },
    failureOf: (error) => (AWAY_CODES.has(codeOf(error) ?? 0) ? 'away' : undefined),
    async close() {
      await reader.destroy();
      await writer.destroy();
    },
  };
}

/** @see https://sqlite.org/rescode.html: busy, locked, read-only, I/O error, corrupt, full, cannot open, not a database. */
const SQLITE_BUSY = 5;
const AWAY_CODES = new Set([SQLITE_BUSY, 6, 8, 10, 11, 13, 14, 26]);

/** The primary result code of an error of SQLite: the low byte of the extended one. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

function open(path: string, options: { readOnly?: boolean }): DatabaseSyncInstance {
  return new DatabaseSync(path, { ...options, timeout: BUSY_TIMEOUT_MS });
}

/** Gives Kysely the interface that it expects of an SQLite driver. */
function connect(file: DatabaseSyncInstance): Kysely<Tables> {
  const database = {
    close: () => file.close(),
    prepare(sql: string) {
      const statement = file.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...parameters),
        run: (parameters: readonly unknown[]) => statement.run(...parameters),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...parameters),
      };
    },
  };
  return new Kysely({ dialect: new SqliteDialect({ database }), plugins: [new CamelCasePlugin()] });
}

function refuseNetwork(folder: string): void {
  const name = NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type);
  if (name)
    throw new Error(
      `${folder} is on a network file system (${name}), where SQLite loses data: use a local disk, or PostgreSQL`,
    );
}

function refuseOld(file: DatabaseSyncInstance): void {
  const row: unknown = file.prepare('select sqlite_version() as version').get();
  const version = row && typeof row === 'object' && 'version' in row ? String(row.version) : '';
  if (!isSafeVersion(version))
    throw new Error(
      `SQLite ${version} can corrupt a file that two processes write: 3.51.3 or later is needed`,
    );
}

/** Whether a version of SQLite contains the fix of the defect above. */
export function isSafeVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [newest] = SAFE_VERSIONS;
  if (major > newest[0] || (major === newest[0] && minor > newest[1])) return true;
  return SAFE_VERSIONS.some(([one, two, three]) => major === one && minor === two && patch >= three);
}
