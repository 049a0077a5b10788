import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { wiretap } from '#server/testing/network.ts';
import {
  administer,
  insertRegistrations,
  openTestDatabase,
  registerAway,
  registration,
  registrations,
  testDatabase,
} from '#server/testing/test-database.ts';
import { type Database, openDatabase } from './database.ts';
import type { Transaction } from './engine.ts';
import { isSafeVersion, networkFileSystem } from './sqlite.ts';

describe('a register in PostgreSQL', () => {
  const moments = {
    'between two statements': () => delay(200),
    'in a statement': (transaction: Transaction) => sql`select pg_sleep(60)`.execute(transaction),
  };
  for (const [moment, pass] of Object.entries(moments)) {
    test(`a connection that breaks ${moment}: the transaction runs again on another one`, async (t) => {
      const { database, url } = await testDatabase(t, 'postgres');
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

  test('a commit whose answer is lost is repeated, and finds what it wrote', async (t) => {
    const { url } = await testDatabase(t, 'postgres');
    const wire = await wiretap(t, url);
    const database = openTestDatabase(t, wire.url);
    await insertRegistrations(database, 'one');
    wire.cutAfter('commit');
    const results: string[] = [];
    await database.write(async (transaction) => {
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('registrations')
        .values(registration('two'))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      results.push(numInsertedOrUpdatedRows === 1n ? 'written' : 'found');
    });
    assert.deepEqual(results, ['written', 'found']);
    assert.deepEqual(await registrations(database), ['one', 'two']);
  });

  test('a failed statement whose error the work keeps to itself: an error all the same', async (t) => {
    const { database } = await testDatabase(t, 'postgres');
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

  test('a server that takes no further connection is away', async (t) => {
    const { url } = await testDatabase(t, 'postgres');
    await administer(url, `alter database ${new URL(url).pathname.slice(1)} connection limit 0`);
    const ordinary = new URL(url);
    ordinary.username = 'visitor';
    await administer(url, 'create role visitor login');
    await assert.rejects(
      registrations(openTestDatabase(t, ordinary.href)),
      registerAway(/too many connections/),
    );
  });
});

async function processId(transaction: Transaction): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
  return rows[0]?.pid ?? 0;
}

describe('a register in an SQLite file', () => {
  test('a full disk: nothing half-written, and with room again it goes on', async (t) => {
    const { database } = await testDatabase(t);
    await insertRegistrations(database, 'one');
    await setPragma(database, 'max_page_count = 1');
    const many = Array.from({ length: 1000 }, (_, at) => `person ${at}`);
    await assert.rejects(insertRegistrations(database, ...many), registerAway(/full/));
    assert.deepEqual(await registrations(database), ['one']);
    await assert.rejects(insertRegistrations(database, ...many), registerAway(/full/));
    await setPragma(database, 'max_page_count = 100000');
    await insertRegistrations(database, 'two');
    assert.deepEqual(await registrations(database), ['one', 'two']);
  });

  test('a file that becomes read-only: it is still read', async (t) => {
    const { database } = await testDatabase(t);
    await insertRegistrations(database, 'one');
    await setPragma(database, 'query_only = on');
    await assert.rejects(insertRegistrations(database, 'two'), registerAway(/readonly/));
    assert.deepEqual(await registrations(database), ['one']);
  });

  test('many transactions at once: between them the process does other work, such as to serve a page', async (t) => {
    const { database } = await testDatabase(t);
    const names = Array.from({ length: 50 }, (_, at) => `person ${at}`);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(names.map((name) => insertRegistrations(database, name)));
    isOver = true;
    assert.ok(turns >= names.length, `${turns} turns of the event loop`);
  });

  test('a folder that can only be read is refused at the start', async (t) => {
    const folder = await testFolder(t, 'read-only');
    if (!(await makeReadOnly(t, folder))) return t.skip('root may write everywhere, and may not mount here');
    const message = /The register .+register\.sqlite cannot be used: E(?:ROFS|ACCES)/;
    assert.throws(() => openDatabase(urlIn(folder)), message);
  });

  test('a file that is none of SQLite is refused at the start', async (t) => {
    const folder = await testFolder(t, 'register');
    const words = 'Not a database, but longer than the header of one. ';
    await writeFile(join(folder, 'register.sqlite'), words.repeat(99));
    const message = /register\.sqlite cannot be used: file is not a database/;
    assert.throws(() => openDatabase(urlIn(folder)), message);
  });

  test('a folder that does not exist is refused, in words', async (t) => {
    const folder = join(await testFolder(t, 'register'), 'missing');
    assert.throws(() => openDatabase(urlIn(folder)), /The folder .+missing of the register does not exist/);
  });

  for (const url of ['file:register.sqlite', 'file:./data/r.sqlite', 'file:', 'file://host/r.sqlite'])
    test(`${url} is refused: it names no absolute path`, () => {
      assert.throws(() => openDatabase(url), /names no absolute path/);
    });

  test('closed, the file is whole without its log, also if another that was never used is closed', async (t) => {
    const { database, url } = await testDatabase(t);
    await insertRegistrations(database, 'one');
    await openDatabase(url).close();
    await database.close();
    await database.close();
    const copied = urlIn(await testFolder(t, 'copy'));
    await copyFile(fileURLToPath(url), fileURLToPath(copied));
    assert.deepEqual(await registrations(openTestDatabase(t, copied)), ['one']);
  });

  test('many different statements', async (t) => {
    const { database } = await testDatabase(t);
    await insertRegistrations(database, ...Array.from({ length: 300 }, (_, at) => `person ${at}`));
    for (let count = 1; count <= 300; count += 1) {
      const names = Array.from({ length: count }, (_, at) => `person ${at}`);
      const rows = await database.read((transaction) =>
        transaction.selectFrom('registrations').select('edition').where('id', 'in', names).execute(),
      );
      assert.equal(rows.length, count);
    }
  });

  test('every commit is on the disk, in the log that lets readers go on', async (t) => {
    const { database } = await testDatabase(t);
    const pragma = (name: string) =>
      database.write(async (transaction) => (await sql.raw(`pragma ${name}`).execute(transaction)).rows);
    assert.deepEqual(await pragma('journal_mode'), [{ journalMode: 'wal' }]);
    assert.deepEqual(await pragma('synchronous'), [{ synchronous: 2 }]);
    assert.deepEqual(await pragma('foreign_keys'), [{ foreignKeys: 1 }]);
  });

  test('a version that may corrupt the file is refused', () => {
    const versions = {
      safe: ['3.51.3', '3.51.10', '3.52.0', '3.53.1', '4.0.0', '3.50.7', '3.50.12', '3.44.6'],
      unsafe: ['3.51.2', '3.50.6', '3.49.9', '3.45.1', '3.44.5', '3.43.9', '3.9.0', '2.99.9', '', 'none'],
    };
    for (const version of versions.safe) assert.equal(isSafeVersion(version), true, version);
    for (const version of versions.unsafe) assert.equal(isSafeVersion(version), false, version);
  });

  test('a network file system is known by its type, and a local one is none', () => {
    // The values of NFS_SUPER_MAGIC, CIFS and SMB2 in statfs(2); then of ext4, XFS, Btrfs, tmpfs and overlay.
    for (const type of [0x6969, 0xff534d42, 0xfe534d42]) assert.ok(networkFileSystem(type));
    for (const type of [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630])
      assert.equal(networkFileSystem(type), undefined);
  });
});

function urlIn(folder: string): string {
  return pathToFileURL(join(folder, 'register.sqlite')).href;
}

/** Makes a folder read-only; for root, who may write everywhere else, with a file system of its own if that is allowed. */
async function makeReadOnly(t: TestContext, folder: string): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    await chmod(folder, 0o500);
    return true;
  }
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  cleanUp(t, async () => execFileSync('umount', [folder]));
  return true;
}

function setPragma(database: Database, pragma: string): Promise<unknown> {
  return database.write((transaction) => sql.raw(`pragma ${pragma}`).execute(transaction));
}
