import { Socket } from 'node:net';
import { type Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { postgresTypes } from './columns.ts';
import { PostgresCompiler } from './dates.ts';
import { type Engine, execute, queriesOver, UnusableDatabaseError } from './engine.ts';
import type { Tables } from './schema.ts';

/**
 * Connections of one process. Few write, since each transaction waits for the one before anyway; those that read are
 * apart, so that they never wait for the writers' turn.
 */
const MOST_CONNECTIONS = { write: 2, read: 3 };
const CONNECT_TIMEOUT_MS = 5_000;
/** After which silence a connection counts as broken: when a host vanishes, nothing else says so for a long time. */
const SILENCE_MS = 20_000;

/**
 * In milliseconds; set in each transaction, because a pooler in transaction mode refuses them as startup parameters and
 * gives each transaction another session.
 */
const TIMEOUTS = `
  set local lock_timeout = 5000;
  set local statement_timeout = 15000;
  set local idle_in_transaction_session_timeout = 10000;
`;

/** The key of the lock that makes a transaction the only writer of this database. */
const WRITER_LOCK = 7_410_269;

const BEGIN = {
  read: `begin isolation level repeatable read, read only; ${TIMEOUTS}`,
  write: `begin; ${TIMEOUTS} select pg_advisory_xact_lock(${WRITER_LOCK})`,
};

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
    types: postgresTypes,
    writer,
    reader,
    begin: (connection, kind) => execute(connection, BEGIN[kind]),
    // A broken connection has no transaction any more.
    rollback: (connection) => execute(connection, 'rollback').catch(() => {}),
    failureOf: (error) => failureOf(error, url),
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
    keepAlive: true,
    stream: () => new Socket().setTimeout(SILENCE_MS, breakOff),
    application_name: 'online-retreat',
  });
  // A connection may break between two statements; the next one then says so.
  pool.on('connect', (client) => client.on('error', () => {}));
  // An idle connection that breaks is replaced at the next use.
  pool.on('error', () => {});
  return queriesOver(new PostgresDialect({ pool }), new PostgresCompiler());
}

function breakOff(this: Socket): void {
  this.destroy();
}

/**
 * SQLSTATE classes: 08 connection, 53 resources, 57 operator intervention, 58 system error; 55P03 is a lock that was not
 * given in time.
 * @see https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
const AWAY_STATES = /^(?:53|57|58|55P03)/;
const LOST_STATES = /^(?:08|57P0[123]|25P03)/;

/** What the system and the driver say when a connection breaks or cannot be made. */
const LOST_CODES = new Set(
  'ECONNRESET EPIPE ECONNREFUSED ENOTFOUND EAI_AGAIN ETIMEDOUT EHOSTUNREACH ENETUNREACH'.split(' '),
);
const LOST_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/;

/**
 * Answers that waiting does not change, by code and message, and what does. PgBouncer's code is 08P01 for most of its
 * answers; SASL, TLS and certificates are the driver's.
 */
const REFUSALS: readonly (readonly [answer: RegExp, remedy: string])[] = [
  [
    /^(?:28|SASL|08P01 (?:.*authentication failed|no such user))/,
    'DATABASE_URL needs a user and password that it accepts',
  ],
  [/^3D000|^08P01 (?:no such database|database .* does not exist)/, 'create the database first'],
  [/^42501/, 'the user of DATABASE_URL must own the database'],
  [/^25006/, 'DATABASE_URL must name the primary server'],
  [
    /^08P01 unsupported startup parameter/,
    'the pooler takes no such parameter: leave it out of DATABASE_URL',
  ],
  [/^08P01 .*statement pooling/, 'the pooler must have pool_mode=transaction or session'],
  [
    /^(?:[A-Z_]*CERT|UNABLE_TO_VERIFY|The server does not support SSL)/,
    'see sslmode and sslrootcert of DATABASE_URL',
  ],
];

function failureOf(error: unknown, url: string): ReturnType<Engine['failureOf']> {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const answer = `${code} ${error.message}`.trim();
  const [, remedy] = REFUSALS.find(([pattern]) => pattern.test(answer)) ?? [];
  if (remedy !== undefined) {
    const { host, pathname } = new URL(url);
    const message = `The register cannot be used at ${host}${pathname}: ${error.message}; ${remedy}`;
    return new UnusableDatabaseError(message, { cause: error });
  }
  if (LOST_CODES.has(code) || LOST_STATES.test(code) || LOST_MESSAGE.test(error.message)) return 'lost';
  return AWAY_STATES.test(code) ? 'away' : undefined;
}

/** Whether a commit waits for a standby. It makes no tables, and changes nothing. */
export async function hasSynchronousStandby(url: string): Promise<boolean> {
  const database = connect(url, 1);
  const { rows } = await sql<{ waits: boolean }>`
    select current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') not in ('off', 'local') as waits`
    .execute(database)
    .finally(() => database.destroy());
  return rows[0]?.waits ?? false;
}
