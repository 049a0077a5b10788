import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { startPgBouncer } from '#scripts/product/postgres.ts';
import { readActs, writeAct } from '#server/registration/registration.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { wiretap } from '#server/testing/network.ts';
import {
  administer,
  bareDatabase,
  closedRegister,
  insertRegistrations,
  openBareDatabase,
  registerAway,
  registration,
  registrations,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { type Database, openDatabase, type Transaction, UnusableDatabaseError } from './database.ts';
import { startProbe } from './open-database.ts';
import { isSafeVersion, openFile } from './sqlite.ts';

describe('a register in PostgreSQL', () => {
  const moments = {
    'between two statements': () => delay(200),
    'in a statement': (transaction: Transaction) => sql`select pg_sleep(60)`.execute(transaction),
  };
  for (const [moment, pass] of Object.entries(moments)) {
    test(`a connection that breaks ${moment}: the transaction runs again on another one`, async (t) => {
      const { database, url } = await bareDatabase(t, 'postgres');
      let runs = 0;
      await database.write(async (transaction) => {
        runs += 1;
        await transaction
          .insertInto('registrations')
          .values(registration(`run ${runs}`))
          .execute();
        if (runs > 1) return;
        const end = `select pg_terminate_backend(${await processId(transaction)})`;
        await Promise.all([pass(transaction), delay(100).then(() => administer(url, end))]);
      });
      assert.deepEqual(await registrations(database), ['run 2']);
    });
  }

  test('an act whose commit was not answered is on record once, and its id is kept outside', async (t) => {
    const { url } = await bareDatabase(t, 'postgres');
    const wire = await wiretap(t, url);
    const kept: string[] = [];
    const database = openDatabase(wire.url, { afterActs: (ids) => kept.push(...ids) });
    cleanUp(t, database.close);
    let runs = 0;
    const counted: Database = {
      ...database,
      write: (work) =>
        database.write((transaction) => {
          runs += 1;
          return work(transaction);
        }),
    };
    await database.read(async () => {});
    wire.cutAfter('commit');
    const act = { kind: 'note' as const, at: new Date(), by: 'Anna' };
    assert.equal(await writeAct(counted, 'one', () => act), true);
    const acts = await database.read((transaction) => readActs(transaction, 'one'));
    assert.deepEqual([runs, acts.length], [2, 1]);
    assert.deepEqual(
      acts.map(({ id }) => id),
      kept,
    );
  });

  test('a failed statement whose error the work keeps to itself: an error all the same', async (t) => {
    const { database } = await bareDatabase(t, 'postgres');
    const swallowing = database.write(async (transaction) => {
      await transaction.insertInto('registrations').values(registration('one')).execute();
      await transaction
        .insertInto('registrations')
        .values(registration('one'))
        .execute()
        .catch(() => {});
    });
    await assert.rejects(swallowing, /Nothing was written/);
    assert.deepEqual(await registrations(database), []);
  });

  test('one that becomes read-only while it is used: not ready, as the log says, and ready once it can be written', async (t) => {
    const { database, url } = await bareDatabase(t, 'postgres');
    const { logger, text } = createTestLog();
    const probe = await startProbe(database, logger, 10);
    cleanUp(t, probe.close);
    assert.equal(probe.whyNotReady(), undefined);
    await setReadOnly(url, 'on');
    while (probe.whyNotReady() === undefined) await delay(5);
    assert.equal(probe.whyNotReady(), 'register unusable');
    assert.match(text(), /read-only transaction.*The register cannot be written/);
    await assert.rejects(insertRegistrations(database, 'one'), registerAway(/read-only transaction/));
    await setReadOnly(url, 'off');
    while (!probe.isWritable()) await delay(5);
    assert.equal(probe.whyNotReady(), undefined);
  });
});

/** A database's URL for another user, database or parameter. */
function changed(url: string, change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'search'>>) {
  return Object.assign(new URL(url), change).href;
}

const pooled = async (t: TestContext, settings: Record<string, string>) => {
  const url = await testDatabaseUrl(t, 'postgres', 'empty');
  const pooler = await startPgBouncer(url, settings);
  cleanUp(t, pooler.stop);
  return pooler.url(new URL(url).pathname.slice(1));
};

describe('what cannot serve as a register is refused at the start, in words', () => {
  const transaction = { pool_mode: 'transaction' };
  const withPassword = { ...transaction, auth_type: 'scram-sha-256' };
  const server = (t: TestContext) => testDatabaseUrl(t, 'postgres', 'empty');
  for (const [name, open, words] of [
    ['PgBouncer in statement mode', (t) => pooled(t, { pool_mode: 'statement' }), /statement pooling mode$/],
    [
      'a wrong password',
      async (t) => changed(await pooled(t, withPassword), { password: 'guessed' }),
      /authentication failed$/,
    ],
    [
      'no such database',
      async (t) => changed(await server(t), { pathname: '/missing' }),
      /"missing" does not exist$/,
    ],
    [
      'no such user',
      async (t) => changed(await server(t), { username: 'nobody' }),
      /role "nobody" does not exist$/,
    ],
    [
      'a user who may not make tables',
      async (t) => {
        const url = await server(t);
        await administer(url, 'create role guest login');
        cleanUp(t, () => administer(url, 'drop role guest'));
        return changed(url, { username: 'guest' });
      },
      /permission denied for schema public$/,
    ],
    [
      'a server that can only be read',
      async (t) => {
        const url = await server(t);
        await setReadOnly(url, 'on');
        return url;
      },
      /read-only transaction$/,
    ],
    [
      'a server without TLS',
      async (t) => changed(await server(t), { search: '?sslmode=verify-full' }),
      /does not support SSL connections$/,
    ],
  ] satisfies [string, (t: TestContext) => Promise<string>, RegExp][])
    test(name, async (t) => {
      const database = openBareDatabase(t, await open(t));
      await assert.rejects(startProbe(database, createTestLog().logger), (error) => {
        assert.ok(error instanceof UnusableDatabaseError, String(error));
        assert.match(
          error.message,
          /^The register 127\.0\.0\.1:\d+\/\w+ cannot be used as DATABASE_URL says: /,
        );
        assert.match(error.message, words);
        return true;
      });
    });
});

/** Whether the database can only be read, as on a standby; connections that exist end. */
async function setReadOnly(url: string, isReadOnly: 'on' | 'off'): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const other = changed(url, { pathname: '/postgres' });
  await administer(other, `alter database ${name} set default_transaction_read_only = ${isReadOnly}`);
  const ends = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  await administer(other, ends);
}

async function processId(transaction: Transaction): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
  return rows[0]?.pid ?? 0;
}

describe('a register in an SQLite file', () => {
  test('a file that is damaged is refused at the start, and says what to do', async (t) => {
    let page = 0;
    const url = await closedRegister(t, async (database) => {
      const found = sql<{ page: number }>`select rootpage as page from sqlite_schema where name = 'register'`;
      page = (await database.read((transaction) => found.execute(transaction))).rows[0]?.page ?? 0;
    });
    const bytes = await readFile(fileURLToPath(url));
    const size = bytes.readUInt16BE(16);
    await writeFile(fileURLToPath(url), bytes.fill(0xff, (page - 1) * size, page * size));
    const database = openBareDatabase(t, url);
    await assert.rejects(startProbe(database, createTestLog().logger), {
      name: 'UnusableDatabaseError',
      message: /register\.sqlite is damaged \(database disk image is malformed\): restore a copy$/,
    });
  });

  test('every commit is on the disk, in the log that lets readers go on', async (t) => {
    const { database } = await bareDatabase(t);
    const pragma = (name: string) =>
      database.write(async (transaction) => (await sql.raw(`pragma ${name}`).execute(transaction)).rows);
    assert.deepEqual(await pragma('journal_mode'), [{ journalMode: 'wal' }]);
    assert.deepEqual(await pragma('synchronous'), [{ synchronous: 2 }]);
    assert.deepEqual(await pragma('foreign_keys'), [{ foreignKeys: 1 }]);
  });

  test('the SQLite that is used is safe: Node’s own, or that of the package', () => {
    const [row] = openFile(':memory:').prepare('select sqlite_version() as version').all();
    assert.ok(isSafeVersion(String(row?.version)), `${row?.version}`);
  });

  test('a version that may corrupt the file is not used', () => {
    for (const version of ['3.51.3', '3.51.10', '3.52.0', '3.53.1', '4.0.0'])
      assert.equal(isSafeVersion(version), true, version);
    for (const version of ['3.51.2', '3.50.9', '3.49.10', '3.9.0', '2.99.9', ''])
      assert.equal(isSafeVersion(version), false, version);
  });
});
