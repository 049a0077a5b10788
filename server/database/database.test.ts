import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { watchEventLoop } from '#server/testing/reading-time.ts';
import {
  bareDatabase,
  engines,
  insertRegistrations,
  occupy,
  openBareDatabase,
  registration,
  registrations,
} from '#server/testing/test-database.ts';
import { type Database, type RegisterRow, type Transaction, UnusableDatabaseError } from './database.ts';

/** How many people register at the same time, in each of two processes: none waits for longer than five seconds. */
const PEOPLE = 20;

for (const engine of [...engines, 'pgbouncer'] as const) {
  describe(`the register's database on ${engine}`, () => {
    test('one transaction at a time writes, in all processes', async (t) => {
      const { database, url } = await bareDatabase(t, engine);
      const other = openBareDatabase(t, url);
      await insertRegistrations(database, 'one');
      const addOne = (through: Database) =>
        through.write(async (transaction) => {
          const version = await versionOf(transaction, 'one');
          await transaction
            .updateTable('registrations')
            .set({ version: version + 1 })
            .execute();
        });
      await Promise.all(
        [database, other].flatMap((one) => Array.from({ length: PEOPLE }, () => addOne(one))),
      );
      assert.equal(await database.read((transaction) => versionOf(transaction, 'one')), 2 * PEOPLE);
    });

    test('reads see one state while another process writes', async (t) => {
      const { database, url } = await bareDatabase(t, engine);
      const other = openBareDatabase(t, url);
      await insertRegistrations(database, 'one');
      const leave = await occupy(t, other, (transaction) =>
        transaction.insertInto('registrations').values(registration('two')).execute(),
      );
      await database.read(async (transaction) => {
        const read = () => transaction.selectFrom('registrations').select('id').execute();
        const before = await read();
        await leave();
        assert.deepEqual([before, await read()], [before, before]);
      });
      assert.deepEqual(await registrations(database), ['one', 'two']);
    });

    test('an error inside leaves nothing behind', async (t) => {
      const { database } = await bareDatabase(t, engine);
      const failing = database.write(async (transaction) => {
        await transaction.insertInto('registrations').values(registration('one')).execute();
        throw new RangeError('of the work');
      });
      await assert.rejects(failing, RangeError);
      const twice = insertRegistrations(database, 'two', 'two');
      await assert.rejects(twice, /unique/i);
      assert.deepEqual(await registrations(database), []);
      await insertRegistrations(database, 'three');
      assert.deepEqual(await registrations(database), ['three']);
    });

    test('a transaction inside another one throws at once; what one leaves behind may begin one', async (t) => {
      const { database } = await bareDatabase(t, engine);
      const nothing = () => Promise.resolve();
      for (const outer of ['read', 'write'] as const) {
        for (const inner of ['read', 'write'] as const) {
          const nested = database[outer](() => database[inner](nothing));
          await assert.rejects(nested, /inside another one/, `${inner} inside ${outer}`);
        }
      }
      let later: Promise<void> | undefined;
      await database.write(async () => {
        later = delay(50).then(() => database.write(nothing));
      });
      await later;
    });

    test('a writer waits for its turn, and meanwhile reads and the event loop go on', async (t) => {
      const { database, url } = await bareDatabase(t, engine);
      const leave = await occupy(t, openBareDatabase(t, url));
      const standstill = watchEventLoop(t);
      const names = Array.from({ length: 10 }, (_, at) => `person ${at}`);
      const writing = Promise.all(names.map((name) => insertRegistrations(database, name)));
      await delay(500);
      assert.deepEqual(await registrations(database), []);
      await delay(500);
      await leave();
      await writing;
      assert.deepEqual(await registrations(database), names);
      assert.ok(standstill() < 0.5, 'The event loop stood still most of the time');
    });

    test('counts and sums are numbers, moments are dates, and both moments and names follow each other', async (t) => {
      const { database } = await bareDatabase(t, engine);
      const begins = Date.parse('2026-01-22T17:00:00.000Z');
      const moments = [0, 1, 1_000, 60_000].map((ms) => new Date(begins + ms));
      // Byte by byte.
      const names = ['A', 'B', 'Z', 'a'];
      const version = 2 ** 31 - 1;
      const all = moments.map((heldUntil, index) => ({ heldUntil, sortName: names[index] ?? '', version }));
      await database.write(async (transaction) => {
        for (const row of all.toReversed())
          await transaction
            .insertInto('registrations')
            .values({ ...registration(row.sortName), ...row })
            .execute();
      });
      const read = (column: 'heldUntil' | 'sortName', last: Date | string) =>
        database.read((transaction) =>
          transaction
            .selectFrom('registrations')
            .select(['heldUntil', 'sortName', 'version'])
            .where(column, '<=', last)
            .orderBy(column)
            .execute(),
        );
      for (const [column, last] of [
        ['heldUntil', moments[2]],
        ['sortName', 'Z'],
      ] as const)
        assert.deepEqual(await read(column, last ?? assert.fail()), all.slice(0, 3), column);
      const counted = await database.read((transaction) =>
        transaction
          .selectFrom('registrations')
          .select(({ fn }) => [fn.countAll().as('rows'), fn.sum('version').as('sum')])
          .execute(),
      );
      assert.deepEqual(counted, [{ rows: 4, sum: 4 * version }]);
    });

    test('a database of a later release is used if it allows that, and else refused', async (t) => {
      const { database, url } = await bareDatabase(t, engine);
      const change = (to: Partial<Pick<RegisterRow, 'migration' | 'compatibleFrom'>>) =>
        database.write((transaction) => transaction.updateTable('register').set(to).execute());
      await change({ migration: 1 });
      assert.equal((await openBareDatabase(t, url).read(registerRow)).migration, 1);
      await change({ migration: 2, compatibleFrom: 2 });
      const refused = openBareDatabase(t, url);
      await assert.rejects(refused.read(registerRow), UnusableDatabaseError);
      await assert.rejects(insertRegistrations(refused, 'one'), /A later release has changed the database/);
      assert.deepEqual(await registrations(database), []);
    });

    test('closing lets a transaction come to its end, and begins no other', async (t) => {
      const { database, url } = await bareDatabase(t, engine);
      const leave = await occupy(t, database, (transaction) =>
        transaction.insertInto('registrations').values(registration('one')).execute(),
      );
      const closed = database.close();
      await assert.rejects(database.write(registerRow), /closed/);
      await delay(50);
      await leave();
      await closed;
      assert.deepEqual(await registrations(openBareDatabase(t, url)), ['one']);
    });
  });
}

function registerRow(transaction: Transaction) {
  return transaction.selectFrom('register').selectAll().executeTakeFirstOrThrow();
}

async function versionOf(transaction: Transaction, registration: string): Promise<number> {
  const { version } = await transaction
    .selectFrom('registrations')
    .select('version')
    .where('id', '=', registration)
    .executeTakeFirstOrThrow();
  return version;
}
