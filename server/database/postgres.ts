import { Socket } from 'node:net';
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { type Engine, execute } from './engine.ts';
import type { Tables } from './schema.ts';

/**
 * Connections of one process. Few write, since each transaction waits for the one before anyway; those that read are
 * apart, so that they never wait for the writers' turn.
 */
const MOST_CONNECTIONS = { write: 2, read: 3 };
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 10_000;
/** After which silence a connection counts as broken: when a host vanishes, nothing else says so for a long time. */
const SILENCE_MS = 20_000;

/** The key of the lock that makes a transaction the only writer of this database. */
const WRITER_LOCK = 7_410_269;

/** Whole numbers of eight bytes arrive as texts unless they are parsed: counts, and moments in microseconds. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** Opens a PostgreSQL database (15 or later) at its URL; connects at first use. */
export function openPostgres(url: string): Engine {
  const writer = connect(url, MOST_CONNECTIONS.write);
  const reader = connect(url, MOST_CONNECTIONS.read);
  return {
    name: 'postgres',
    momentType: 'text collate "C"',
    writer,
    reader,
    async begin(connection, kind) {
      if (kind === 'read') return execute(connection, 'begin isolation level repeatable read, read only');
      await execute(connection, 'begin');
      await sql`select pg_advisory_xact_lock(${WRITER_LOCK})`.execute(connection);
    },
    // A broken connection has no transaction any more.
    rollback: (connection) => execute(connection, 'rollback').catch(() => {}),
    failureOf,
    async close() {
      await reader.destroy();
      await writer.destroy();
    },
  };
}

function connect(url: string, max: number): Kysely<Tables> {
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    keepAlive: true,
    stream: () => new Socket().setTimeout(SILENCE_MS, breakOff),
    application_name: 'online-retreat',
  });
  // A connection may break between two statements; the next one then says so.
  pool.on('connect', (client) => client.on('error', () => {}));
  // An idle connection that breaks is replaced at the next use.
  pool.on('error', () => {});
  return new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] });
}

function breakOff(this: Socket): void {
  this.destroy();
}

/**
 * SQLSTATE classes: 08 connection, 53 resources, 57 operator intervention, 58 system error, 28 who may connect; 55P03 is
 * a lock that was not given in time, 25006 a read-only server, such as a standby, 3D000 a database that does not exist.
 * @see https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
const AWAY_STATES = /^(?:53|57|58|55P03|25006|28|3D000)/;
const LOST_STATES = /^(?:08|57P0[123]|25P03)/;

/** What the system and the driver say when a connection breaks or cannot be made. */
const LOST_CODES = new Set(
  'ECONNRESET EPIPE ECONNREFUSED ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH'.split(' '),
);
const LOST_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

function failureOf(error: unknown): 'away' | 'lost' | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (LOST_CODES.has(code) || LOST_STATES.test(code) || LOST_MESSAGE.test(error.message)) return 'lost';
  return AWAY_STATES.test(code) ? 'away' : undefined;
}
