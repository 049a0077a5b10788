import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#server/http/app-error.ts';
import { messages, REGISTER_AWAY } from '#shared/registration.ts';
import { type Engine, execute, type Transaction } from './engine.ts';
import { migrate } from './migrations.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** The register's database. */
export interface Database {
  readonly engine: Engine['name'];
  /**
   * Runs work in a transaction, as the only writer at this moment in all processes. The work awaits nothing but
   * the database. It may run again after a lost connection, and must then find by a unique key what it wrote.
   * @throws {AppError} `REGISTER_AWAY` (503) when the database cannot be used; else what the work throws
   */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Runs reads that all see the same state.
   * @throws as `write` does
   */
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** How long a broken connection is tried again. */
const TRY_AGAIN_FOR_MS = 5_000;
const TRY_AGAIN_AFTER_MS = 200;
/** When a visitor's browser asks again. */
const RETRY_AFTER_S = 5;

/** Set inside a transaction: on SQLite another one would wait for the first, which waits for it. */
const inTransaction = new AsyncLocalStorage<true>();

/**
 * Opens the database at a URL: `file:/data/register.sqlite` for SQLite, `postgresql://…` for PostgreSQL. The tables are
 * brought up to date at the first use.
 * @throws {Error} when SQLite cannot be used there, see `openSqlite`
 */
export function openDatabase(url: string): Database {
  const engine = url.startsWith('file:') ? openSqlite(url) : openPostgres(url);
  let migrated: Promise<void> | undefined;
  const upToDate = async (): Promise<void> => {
    migrated ??= transact(engine, 'write', (transaction) => migrate(transaction, engine));
    try {
      await migrated;
    } catch (error) {
      migrated = undefined;
      throw error;
    }
  };
  const run = async <Result>(
    kind: 'read' | 'write',
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> => {
    if (inTransaction.getStore()) throw new Error('A transaction inside another one would wait for ever');
    const deadline = Date.now() + TRY_AGAIN_FOR_MS;
    for (;;) {
      try {
        await upToDate();
        return await transact(engine, kind, work);
      } catch (error) {
        const failure = engine.failureOf(error);
        if (!failure) throw error;
        if (failure === 'away' || Date.now() > deadline) throw registerAway(error);
        await delay(TRY_AGAIN_AFTER_MS);
      }
    }
  };
  return {
    engine: engine.name,
    write: (work) => run('write', work),
    read: (work) => run('read', work),
    close: engine.close,
  };
}

function transact<Result>(
  engine: Engine,
  kind: 'read' | 'write',
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const [connections, begin] =
    kind === 'write' ? [engine.writer, engine.beginWriting] : [engine.reader, engine.beginReading];
  return connections.connection().execute(async (connection) => {
    try {
      await begin(connection);
      const result = await inTransaction.run(true, () => work(connection));
      await execute(connection, 'commit');
      return result;
    } catch (error) {
      await engine.rollback(connection, kind);
      throw error;
    }
  });
}

function registerAway(cause: unknown): AppError {
  return new AppError({
    code: REGISTER_AWAY,
    status: 503,
    message: messages.registerAway,
    retryAfterS: RETRY_AFTER_S,
    cause,
  });
}
