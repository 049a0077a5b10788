import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { type Engine, execute } from './engine.ts';
import type { Tables } from './schema.ts';

/** Connections of one process: few, since each transaction that writes waits for the one before anyway. */
const MOST_CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 10_000;

/** The key of the lock that makes a transaction the only writer of this database. */
const WRITER_LOCK = 7_410_269;

/** Whole numbers of eight bytes arrive as texts unless they are parsed: counts, and moments in microseconds. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** Opens a PostgreSQL database (15 or later) at its URL; connects at first use. */
export function openPostgres(url: string): Engine {
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'online-retreat',
  });
  // An idle connection that breaks is replaced at the next use.
  pool.on('error', () => {});
  const connections = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin()],
  });
  return {
    name: 'postgres',
    momentType: 'text collate "C"',
    writer: connections,
    reader: connections,
    async beginWriting(connection) {
      await execute(connection, 'begin');
      await sql`select pg_advisory_xact_lock(${WRITER_LOCK})`.execute(connection);
    },
    beginReading: (connection) => execute(connection, 'begin isolation level repeatable read, read only'),
    // A broken connection has no transaction any more.
    rollback: (connection) => execute(connection, 'rollback').catch(() => {}),
    failureOf,
    close: () => connections.destroy(),
  };
}

/**
 * SQLSTATE classes: 08 connection, 53 resources, 57 operator intervention, 58 system error; 55P03 is a lock that was not
 * given in time, 25006 a read-only server, such as a standby.
 * @see https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
const AWAY_STATES = /^(?:53|57|58|55P03|25006|28)/;
const LOST_STATES = /^(?:08|57P0[123])/;

/** What the system and the driver say when a connection breaks or cannot be made. */
const LOST_CODES = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT']);
const LOST_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

function failureOf(error: unknown): 'away' | 'lost' | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (LOST_CODES.has(code) || LOST_STATES.test(code) || LOST_MESSAGE.test(error.message)) return 'lost';
  return AWAY_STATES.test(code) ? 'away' : undefined;
}
