import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
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
import type { Transaction } from './engine.ts';

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
