import { createRequire } from 'node:module';
import type { DatabaseSyncInstance, DatabaseSyncOptions, SqliteModule } from '@photostructure/sqlite';
import { UnusableDatabaseError } from './engine.ts';

type Library = Pick<SqliteModule, 'DatabaseSync'>;

declare global {
  namespace NodeJS {
    interface BuiltInModule {
      /** The types of Node 20 lack it. */
      'node:sqlite': Library | undefined;
    }
  }
}

/**
 * Before these versions two processes that write and checkpoint at the same time can corrupt the file.
 * @see https://sqlite.org/changes.html 3.51.3, 3.50.7, 3.44.6
 */
const SAFE_VERSIONS = [
  [3, 51, 3],
  [3, 50, 7],
  [3, 44, 6],
] as const;

/** Whether a version of SQLite contains the fix of the defect above. */
export function isSafeVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [newest] = SAFE_VERSIONS;
  if (major > newest[0] || (major === newest[0] && minor > newest[1])) return true;
  return SAFE_VERSIONS.some(([one, two, three]) => major === one && minor === two && patch >= three);
}

let library: Library | undefined;

/** @throws {UnusableDatabaseError} when there is no safe SQLite here */
export function openFile(path: string, options: DatabaseSyncOptions = {}): DatabaseSyncInstance {
  library ??= builtIn() ?? optional();
  return new library.DatabaseSync(path, { ...options, enableForeignKeyConstraints: true });
}

function builtIn(): Library | undefined {
  if (!isSafeVersion(process.versions.sqlite ?? '')) return undefined;
  const { emitWarning } = process;
  // Node 22 warns that it is experimental.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A package with the same interface. */
function optional(): Library {
  try {
    return createRequire(import.meta.url)('@photostructure/sqlite');
  } catch (cause) {
    throw new UnusableDatabaseError(
      `Node ${process.versions.node} has no safe SQLite, and @photostructure/sqlite, which npm ci --omit=optional leaves out, cannot be loaded: use the latest Node 24, or PostgreSQL`,
      { cause },
    );
  }
}
