import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { cleanUp } from '#server/testing/clean-up.ts';
import { AT, FURTHER, insertRow, isTable, rightRows } from '#server/testing/right-rows.ts';
import {
  administer,
  bareDatabase,
  closedRegister,
  insertRegistrations,
  openBareDatabase,
  registrations,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';
import { type Database, tableNames } from './database.ts';
import { moveRegister } from './move-register.ts';
import { openFile } from './sqlite.ts';

/** More than are moved at once. */
const MANY = 501;

const tables = tableNames.filter((name) => name !== 'register');
/** Their rows are ids and moments alone. */
const OF_THE_WORKER: readonly string[] = ['stripeEvents', 'marks'];

/** Rows of every table that can be, and more registrations than are moved at once. */
const fill = (database: Database) =>
  database.write(async (transaction) => {
    for (const table of Object.keys(rightRows).filter(isTable)) await insertRow(transaction, table, {});
    for (const [table, row] of FURTHER) await insertRow(transaction, table, row);
    for (let number = 1; number <= MANY; number += 1)
      await insertRow(transaction, 'registrations', { id: `${MANY - number} ☂ "O'Neil"\n`, customer: null });
  });

const readAll = (database: Database) =>
  database.read(async (transaction) => {
    const all = tables.map(async (table) => {
      const { rows } = await sql<object>`select * from ${sql.table(table)}`.execute(transaction);
      return [table, rows.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted()] as const;
    });
    return Promise.all(all);
  });

const rowOf = (database: Database) =>
  database.read((transaction) => transaction.selectFrom('register').selectAll().executeTakeFirstOrThrow());

const noNote = async (): Promise<void> => {};

describe('moving the register to PostgreSQL', () => {
  test('takes every row of every table along, and its name; no process starts on the file any more', async (t) => {
    let name = '';
    let rows: Awaited<ReturnType<typeof readAll>> = [];
    const from = await closedRegister(t, async (database) => {
      await fill(database);
      ({ name } = await rowOf(database));
      rows = await readAll(database);
    });
    assert.ok(rows.every(([table, all]) => all.length > 0 || OF_THE_WORKER.includes(table)));
    const to = await testDatabaseUrl(t, 'postgres', 'empty');
    await moveRegister({ from, to }, (register) =>
      register.updateTable('register').set({ eventsUntil: AT }).execute(),
    );
    const elsewhere = await testDatabaseUrl(t, 'postgres');
    await assert.rejects(
      moveRegister({ from, to: elsewhere }, noNote),
      /was moved to .*: DATABASE_URL must name that one$/,
    );
    await moveRegister({ from, to }, noNote);
    const database = openBareDatabase(t, to);
    assert.deepEqual(await readAll(database), rows);
    const register = await rowOf(database);
    assert.deepEqual([register.name, register.eventsUntil, register.movedTo], [name, AT, null]);
    await assert.rejects(registrations(openBareDatabase(t, from)), {
      name: 'UnusableDatabaseError',
      message: /^The register was moved to 127\.0\.0\.1:\d+\/test_\d+: DATABASE_URL must name that one$/,
    });
  });

  test('again, after it was killed before the file was marked: the rows are compared only', async (t) => {
    const from = await closedRegister(t, (database) => insertRegistrations(database, 'one'));
    const copy = await testDatabaseUrl(t, 'sqlite');
    await copyFile(fileURLToPath(from), fileURLToPath(copy));
    const to = await testDatabaseUrl(t, 'postgres', 'empty');
    await moveRegister({ from: copy, to }, noNote);
    await moveRegister({ from, to }, noNote);
    assert.deepEqual(await registrations(openBareDatabase(t, to)), ['one']);
  });

  const filled = (t: TestContext) => closedRegister(t, (database) => insertRegistrations(database, 'one'));
  const cases: readonly {
    when: string;
    says: RegExp;
    prepare(t: TestContext): Promise<{ from: string; to: string; left?: string[] }>;
  }[] = [
    {
      when: 'a process uses the file',
      says: /^The register .* cannot be used: a process uses it: stop app and worker first$/,
      async prepare(t) {
        const { database, url: from } = await bareDatabase(t);
        await insertRegistrations(database, 'one');
        return { from, to: await testDatabaseUrl(t, 'postgres') };
      },
    },
    {
      when: 'the other database holds something',
      says: /into an empty one only$/,
      async prepare(t) {
        const { database, url: to } = await bareDatabase(t, 'postgres');
        await insertRegistrations(database, 'two');
        return { from: await filled(t), to, left: ['two'] };
      },
    },
    {
      when: 'PostgreSQL keeps something else than it was given',
      says: /^Nothing was moved: registrations of the other database holds something else/,
      async prepare(t) {
        const to = await testDatabaseUrl(t, 'postgres');
        await administer(
          to,
          `create function other() returns trigger language plpgsql as
            $$ begin new.first_name := 'other'; return new; end $$;
          create trigger other before insert on registrations for each row execute function other()`,
        );
        return { from: await filled(t), to };
      },
    },
  ];
  for (const { when, says, prepare } of cases)
    test(`is refused, and changes nothing, when ${when}`, async (t) => {
      const { from, to, left = [] } = await prepare(t);
      const refusal = { name: 'UnusableDatabaseError', message: says };
      await assert.rejects(moveRegister({ from, to }, noNote), refusal);
      assert.deepEqual(await registrations(openBareDatabase(t, to)), left);
      const file = openFile(fileURLToPath(from));
      cleanUp(t, async () => file.close());
      assert.equal(file.prepare('select moved_to from register').get()?.moved_to, null);
    });
});
