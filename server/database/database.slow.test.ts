import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '#scripts/product/child.ts';
import { leastEnvironment, registerIn } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startPostgres } from '#scripts/product/postgres.ts';
import { cleanUp, type TestScope, testFolder } from '#server/testing/clean-up.ts';
import { prepareAppProcesses, runSupport } from '#server/testing/processes.ts';
import { watchEventLoop } from '#server/testing/reading-time.ts';
import {
  administer,
  bareDatabase,
  engines,
  insertRegistrations,
  occupy,
  openBareDatabase,
  registerAway,
  registrations,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';

test('the files of a register and its copies are for their owner only', async (t) => {
  const folder = await testFolder(t, 'private');
  const [served, fresh] = [join(folder, 'served'), join(folder, 'fresh')];
  for (const one of [served, fresh]) await mkdir(one);
  const BACKUP_DIR = join(folder, 'copies');
  const { start, redis } = await prepareAppProcesses(t);
  const DATABASE_URL = registerIn(served);
  await Promise.all([
    start({ env: { DATABASE_URL } }),
    start({ name: 'worker', env: { DATABASE_URL, BACKUP_DIR } }),
  ]);
  const ofSupport = { ...leastEnvironment, REDIS_URL: redis.url, DATABASE_URL: registerIn(fresh) };
  await runSupport(ofSupport, 'mails');
  await until('the register is copied, and marked', async () => {
    const names = await readdir(BACKUP_DIR);
    return names.includes('mark') && names.some((name) => name.endsWith('.sqlite'));
  });
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  const modes = files.map(async ({ parentPath, name }) => {
    const { mode } = await stat(join(parentPath, name));
    return `${basename(parentPath)}/${name.replace(/-\d.*Z/, '')} ${(mode & 0o777).toString(8)}`;
  });
  assert.deepEqual((await Promise.all(modes)).toSorted(), [
    'copies/mark 600',
    'copies/register.sqlite 600',
    'fresh/register.sqlite 600',
    'served/register.sqlite 600',
    'served/register.sqlite-shm 600',
    'served/register.sqlite-wal 600',
  ]);
});

const WRITES = 20;
const PROCESSES = 3;

/** Opens the database for the first time, and adds its own rows. */
const PROGRAM = `
import { openDatabase } from '#server/database/database.ts';
import { insertRegistrations } from '#server/testing/test-database.ts';
const [url, name] = process.argv.slice(1);
const database = openDatabase(url);
await Promise.all(Array.from({ length: ${WRITES} }, (_, at) => insertRegistrations(database, name + ' ' + at)));
await database.close();
`;

for (const engine of [...engines, 'pgbouncer'] as const) {
  describe(`the register's database on ${engine}, used by several processes`, () => {
    test('they make its tables once, and all of them write', async (t) => {
      const url = await testDatabaseUrl(t, engine, 'empty');
      const run = (name: string) =>
        promisify(execFile)(process.execPath, [
          '--import',
          'tsx',
          '--input-type',
          'module',
          '--eval',
          PROGRAM,
          url,
          name,
        ]);
      await Promise.all(Array.from({ length: PROCESSES }, (_, at) => run(`process ${at}`)));
      assert.equal((await registrations(openBareDatabase(t, url))).length, PROCESSES * WRITES);
    });

    test('locked for longer than a visitor waits: away for all in time, and it goes on afterwards', async (t) => {
      const { database, url } = await bareDatabase(t, engine);
      const leave = await occupy(t, openBareDatabase(t, url));
      const standstill = watchEventLoop(t);
      const from = performance.now();
      const names = Array.from({ length: 10 }, (_, at) => `person ${at}`);
      const attempts = await Promise.allSettled(names.map((name) => insertRegistrations(database, name)));
      const took = performance.now() - from;
      for (const attempt of attempts) {
        assert.equal(attempt.status, 'rejected');
        registerAway(/locked|lock timeout|timeout exceeded/)(attempt.reason);
      }
      assert.ok(took > 4_500 && took < 11_000, `It took ${took} ms`);
      assert.ok(standstill() < 0.5, 'The event loop stood still most of the time');
      await leave();
      await insertRegistrations(database, 'one');
      assert.deepEqual(await registrations(database), ['one']);
    });
  });
}

describe('a PostgreSQL server that fails', { concurrency: true }, () => {
  test('a standby is away for writing, and once it is the primary it is used', async (t) => {
    const server = await testServer(t);
    const database = openBareDatabase(t, server.url);
    await insertRegistrations(database, 'one');
    await server.stop();
    await writeFile(join(server.folder, 'data/standby.signal'), '');
    await server.start();
    await assert.rejects(insertRegistrations(database, 'two'), registerAway(/read-only transaction/));
    assert.deepEqual(await registrations(database), ['one']);
    const started = openBareDatabase(t, server.url);
    await assert.rejects(registrations(started), registerAway(/read-only transaction/));
    await administer(server.url, 'select pg_promote()');
    await insertRegistrations(database, 'two');
    assert.deepEqual(await registrations(started), ['one', 'two']);
  });
});

/** A server of its own, which can be stopped and started. */
async function testServer(t: TestScope) {
  const folder = await testFolder(t, 'postgres');
  const port = await findFreePort();
  let server = await startPostgres({ port, folder });
  cleanUp(t, () => server.stop());
  return {
    folder,
    url: server.url('postgres'),
    stop: () => server.stop(),
    async start() {
      server = await startPostgres({ port, folder });
    },
  };
}
