import { Socket } from 'node:net';
import { type Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { PostgresCompiler, postgresTypes } from './columns.ts';
import { type Engine, type Failure, queriesOver, UnusableDatabaseError } from './engine.ts';
import type { Tables } from './schema.ts';

/** Of one process. Who writes waits for the one before anyway; who reads never waits for that. */
const MOST_CONNECTIONS = { write: 2, read: 3 };
const CONNECT_TIMEOUT_MS = 5_000;
/** When a host vanishes, nothing else says so for a long time. */
const SILENCE_MS = 20_000;

/** In milliseconds; in each transaction, because a pooler refuses them as startup parameters, and changes sessions. */
const TIMEOUTS = `
  set local lock_timeout = 5000;
  set local statement_timeout = 15000;
  set local idle_in_transaction_session_timeout = 10000;
`;

const WRITER_LOCK = 7_410_269;

const BEGIN = {
  read: `begin isolation level repeatable read, read only; ${TIMEOUTS}`,
  write: `begin; ${TIMEOUTS} select pg_advisory_xact_lock(${WRITER_LOCK})`,
};

/** Whole numbers of eight bytes, which counts and sums are, arrive as texts unless they are parsed. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** PostgreSQL 15 or later. */
export function openPostgres(url: string): Engine {
  const connections = {
    write: connect(url, MOST_CONNECTIONS.write),
    read: connect(url, MOST_CONNECTIONS.read),
  };
  return {
    name: 'postgres',
    types: postgresTypes,
    connections,
    begin: BEGIN,
    failureOf: (error) => failureOf(error, url),
    async close() {
      await connections.read.destroy();
      await connections.write.destroy();
    },
  };
}

function connect(url: string, max: number): Kysely<Tables> {
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    stream: () => new Socket().setTimeout(SILENCE_MS, breakOff),
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
 * What answers mean, by code and message; the first that fits. Codes are SQLSTATE (08 connection, 53 resources, 57 operator
 * intervention, 58 system error; 55P03: a lock was not given in time), or those of the system and the driver, such as for
 * TLS and certificates. PgBouncer's is 08P01 for nearly all of its answers: words tell.
 * @see https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
const FAILURES: readonly (readonly [answer: RegExp, means: 'unusable' | 'lost' | 'away'])[] = [
  // The password, the database, the right to make tables, a standby.
  [/^(?:28|SASL|3D000|42501|25006)/, 'unusable'],
  [
    /^08P01 .*(?:authentication failed|no such (?:user|database)|does not exist|statement pooling)/,
    'unusable',
  ],
  [/^(?:[A-Z_]*CERT|UNABLE_TO_VERIFY|The server does not support SSL)/, 'unusable'],
  [/^(?:08|57P0[123]|25P03)/, 'lost'],
  [/^(?:E(?:CONNRESET|PIPE|CONNREFUSED|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH))\b/, 'lost'],
  [/^(?:Connection terminated|Client has encountered a connection error)/, 'lost'],
  [/^timeout exceeded when trying to connect/, 'lost'],
  [/^(?:53|57|58|55P03)/, 'away'],
];

function failureOf(error: unknown, url: string): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const answer = `${'code' in error ? error.code : ''} ${error.message}`.trim();
  const [, means] = FAILURES.find(([pattern]) => pattern.test(answer)) ?? [];
  if (means !== 'unusable') return means;
  const { host, pathname } = new URL(url);
  const message = `The register ${host}${pathname} cannot be used as DATABASE_URL says: ${error.message}`;
  return new UnusableDatabaseError(message, { cause: error });
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
