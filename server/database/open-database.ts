import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from '#server/config/logger.ts';
import { repeat, sharedWhileRunning } from '#server/ops/work.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import { messages, REGISTER_AWAY } from '#shared/registration.ts';
import { type Engine, type Kind, type Transaction, UnusableDatabaseError } from './engine.ts';
import { migrate } from './migrations.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** @throws {AppError} `REGISTER_AWAY` (503), caused by an `UnusableDatabaseError` where waiting does not help */
type Transact = <Result>(work: Work<Result>) => Promise<Result>;
type Work<Result> = (transaction: Transaction) => Promise<Result>;

export interface Database {
  readonly engine: Engine['name'];
  /**
   * As the only writer at this moment in all processes. The work may run again after a lost connection, also where it was
   * committed: then it finds by a unique key what it wrote, and returns the same.
   */
  write: Transact;
  read: Transact;
  close(): Promise<void>;
}

/** How long a transaction waits for its turn or a connection in all, and after which time at most it asks again. */
const TURN_TIMEOUT_MS = 5_000;
const ASK_AGAIN_MS = { busy: 5, lost: 200, away: Number.POSITIVE_INFINITY };

/** Set inside a transaction: on SQLite another one would wait for the first, which waits for it. */
const current = new AsyncLocalStorage<{ isOver: boolean; acts: string[] }>();

/** Has the id of an act passed to `afterActs` once the transaction that records it is committed. */
export function noteAct(id: string): void {
  current.getStore()?.acts.push(id);
}

/**
 * Opens the database at `file:/data/register.sqlite` or `postgresql://…`. Its tables are made at the first use.
 * @param options.afterActs called with the ids of the acts that a commit added; it is not waited for
 * @throws {UnusableDatabaseError} when SQLite cannot be used there
 */
export function openDatabase(
  url: string,
  { afterActs }: { afterActs?: (ids: readonly string[]) => void } = {},
): Database {
  const engine = url.startsWith('file:') ? openSqlite(url) : openPostgres(url);
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  let isMigrated = false;

  const attempt = <Result>(kind: Kind, work: Work<Result>): Promise<Result> =>
    engine.connections[kind].connection().execute(async (connection) => {
      // What the work has left behind, such as a timer, may begin a transaction later.
      const scope = { isOver: false, acts: [] };
      // SQLite answers at once: without this, transactions that follow each other let the process do nothing else.
      await nextTurn();
      try {
        await sql.raw(engine.begin[kind]).execute(connection);
        const result = await current.run(scope, () => work(connection));
        await commit(connection);
        if (scope.acts.length > 0) afterActs?.(scope.acts);
        return result;
      } catch (error) {
        // It fails where the engine has rolled back itself, such as on a full disk, and on a broken connection.
        await sql`rollback`.execute(connection).catch(() => {});
        throw error;
      } finally {
        scope.isOver = true;
      }
    });
  const makeTables = sharedWhileRunning(() =>
    attempt('write', (transaction) => migrate(transaction, engine.types)),
  );
  const run = async <Result>(kind: Kind, work: Work<Result>): Promise<Result> => {
    const deadline = Date.now() + TURN_TIMEOUT_MS;
    for (;;) {
      try {
        if (!isMigrated) await makeTables();
        isMigrated = true;
        return await attempt(kind, work);
      } catch (error) {
        const failure = engine.failureOf(error);
        if (!failure) throw error;
        if (failure instanceof UnusableDatabaseError) throw registerAway(failure);
        const pauseMs = ASK_AGAIN_MS[failure];
        if (Date.now() + pauseMs > deadline) throw registerAway(error);
        await delay(pauseMs * Math.random());
      }
    }
  };
  const transact =
    (kind: Kind): Transact =>
    async (work) => {
      if (closing) throw new Error('The database is closed');
      if (current.getStore()?.isOver === false)
        throw new Error('A transaction inside another one would wait for ever');
      const result = run(kind, work);
      running.add(result);
      return result.finally(() => running.delete(result));
    };
  return {
    engine: engine.name,
    write: transact('write'),
    read: transact('read'),
    close() {
      closing ??= Promise.allSettled(running).then(engine.close);
      return closing;
    },
  };
}

/** @throws when PostgreSQL rolled back instead: a statement had failed, and the work went on all the same */
async function commit(connection: Transaction): Promise<void> {
  const { rows } = await sql<{ command: string }>`commit`.execute(connection);
  if (rows[0]?.command === 'ROLLBACK')
    throw new Error('Nothing was written: a statement failed, and the transaction went on');
}

export function isRegisterAway(error: unknown): boolean {
  return error instanceof AppError && error.code === REGISTER_AWAY;
}

function registerAway(cause: unknown): AppError {
  const { registerAway: message } = messages;
  return new AppError({ code: REGISTER_AWAY, status: 503, message, retryAfterS: 5, cause });
}

/** The worker looks at a registration with this `nextAt` before all others. */
export const AT_ONCE = new Date(0);

const CHANGED = {
  version: sql<number>`(select coalesce(max(version), 0) + 1 from registrations)`,
  nextAt: AT_ONCE,
};

/**
 * Raises the version of registrations: what the index says of them is outdated, and the worker looks at what is due for
 * them. So too of others at the same address: one person may have paid twice. Called in each transaction that changes what
 * is on record of one; before her address changes, too. Other subjects are ignored.
 */
export async function noteChange(transaction: Transaction, ...ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction
    .updateTable('registrations')
    .set(CHANGED)
    .where(({ eb, or, selectFrom }) => {
      const addresses = selectFrom('registrations as changed')
        .select('changed.address')
        .where('changed.id', 'in', ids)
        .where('changed.address', '!=', '');
      return or([eb('id', 'in', ids), eb('address', 'in', addresses)]);
    })
    .execute();
}

/** The same for all registrations of an edition: what is announced to everybody has changed. */
export async function noteChangeOfAll(transaction: Transaction, edition: string): Promise<void> {
  await transaction.updateTable('registrations').set(CHANGED).where('edition', '=', edition).execute();
}

/** Has the worker look at all registrations, and everybody who waits: the rules may have changed. */
export async function lookAtAll(transaction: Transaction): Promise<void> {
  await transaction.updateTable('registrations').set({ nextAt: AT_ONCE }).execute();
  await transaction.updateTable('waitingEntries').set({ nextAt: AT_ONCE }).execute();
}

const EVERY_MS = 10_000;

export type DatabaseProbe = Awaited<ReturnType<typeof startProbe>>;

/** Knows before a visitor does that the register is locked, read-only or full. @throws {UnusableDatabaseError} */
export async function startProbe(database: Database, logger: Logger, everyMs = EVERY_MS) {
  let state: 'writable' | 'away' | 'unusable' = 'writable';
  let awaySince: Date | undefined;
  const probe = async (isFirst = false): Promise<void> => {
    const before = state;
    try {
      const probedAt = new Date();
      await database.write((transaction) => transaction.updateTable('register').set({ probedAt }).execute());
      state = 'writable';
      awaySince = undefined;
      if (before !== state) logger.info('The register can be written again');
    } catch (error) {
      const cause = causeOf(error);
      state = isRegisterAway(error) && !(cause instanceof UnusableDatabaseError) ? 'away' : 'unusable';
      awaySince ??= new Date();
      if (isFirst && state === 'unusable') throw cause;
      if (before !== state) logger.error({ err: cause }, 'The register cannot be written');
    }
  };
  await probe(true);
  const { close } = repeat(() => probe(), everyMs);
  return {
    isWritable: () => state === 'writable',
    awaySince: () => awaySince,
    /** For `/readyz`: one that is only away may be back soon, and the pages are served meanwhile. */
    whyNotReady: () => (state === 'unusable' ? 'register unusable' : undefined),
    close,
  };
}
