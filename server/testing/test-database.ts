import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { findFreePort } from '#scripts/product/ports.ts';
import { type PostgresServer, startPostgres } from '#scripts/product/postgres.ts';
import { type Database, openDatabase } from '#server/database/database.ts';
import { cleanUp, type TestScope, testFolder } from './clean-up.ts';

/** Run a suite on each: `for (const engine of engines) describe(engine, …)`. */
export const engines = ['sqlite', 'postgres'] as const;
type EngineName = (typeof engines)[number];

/** An empty register for one test. */
export async function testDatabase(
  t: TestScope,
  engine: EngineName = 'sqlite',
): Promise<{ database: Database; url: string }> {
  const url = await testDatabaseUrl(t, engine);
  const database = openTestDatabase(t, url);
  await migrate(database);
  return { database, url };
}

/** Opens a database as a process does; it is closed after the test. */
export function openTestDatabase(t: TestScope, url: string): Database {
  const database = openDatabase(url);
  cleanUp(t, database.close);
  return database;
}

/** Where a test has a database to itself. On PostgreSQL its tables are there already, unless it is `bare`. */
export async function testDatabaseUrl(t: TestScope, engine: EngineName, bare = false): Promise<string> {
  if (engine === 'sqlite')
    return pathToFileURL(join(await testFolder(t, 'register'), 'register.sqlite')).href;
  server ??= startServer();
  const { url } = await server;
  const name = `test_${++databases}`;
  await administer(url('postgres'), `create database ${name} template ${bare ? 'template0' : TEMPLATE}`);
  cleanUp(t, () => administer(url('postgres'), `drop database ${name} with (force)`));
  return url(name);
}

/** One server for all tests of this process, with a database that is copied for each test. */
let server: Promise<PostgresServer> | undefined;
let databases = 0;
const TEMPLATE = 'migrated';

async function startServer(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  const started = await startPostgres({ port: await findFreePort(), folder, isPassing: true });
  await administer(started.url('postgres'), `create database ${TEMPLATE}`);
  const database = openDatabase(started.url(TEMPLATE));
  await migrate(database);
  await database.close();
  return started;
}

/** The tables are made at the first use. */
function migrate(database: Database): Promise<void> {
  return database.read(async () => {});
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}
