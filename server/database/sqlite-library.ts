import { createRequire } from 'node:module';
import type { DatabaseSyncInstance, DatabaseSyncOptions, SqliteModule } from '@photostructure/sqlite';
import { UnusableDatabaseError } from './engine.ts';

/**
 * In versions before, two processes that write and checkpoint at the same time can corrupt the file.
 * @see https://sqlite.org/changes.html
 */
const SAFE_VERSION = '3.51.3';

export function isSafeVersion(version: string): boolean {
  return version.localeCompare(SAFE_VERSION, 'en', { numeric: true }) >= 0;
}

let library: Pick<SqliteModule, 'DatabaseSync'> | undefined;

/** @throws {UnusableDatabaseError} without a safe SQLite */
export function openFile(path: string, options: DatabaseSyncOptions = {}): DatabaseSyncInstance {
  library ??= load();
  return new library.DatabaseSync(path, { ...options, enableForeignKeyConstraints: true });
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
