import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { NOBODY } from '#server/record/registrations.ts';
import { UNREADABLE } from '#server/register/registration-index.ts';
import {
  administer,
  closedRegister,
  insertRegistrations,
  openTestDatabase,
  registration,
  registrations,
  testDatabase,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';
import type { Database } from './database.ts';
import { moveRegister } from './move-register.ts';
import type { Tables } from './schema.ts';

const AT = '2026-01-22T17:00:00.000Z';
/** More than are moved at once. */
const MANY = 501;

/** Rows of every table; the compiler finds one that is missing. */
const rows: { [Table in Exclude<keyof Tables, 'register'>]: Tables[Table][] } = {
  registrations: Array.from({ length: MANY }, (_, at) => ({
    ...registration(`person ${MANY - at}`),
    firstName: `Zoë "☂" O'Neil\n${at}`,
    deposit: `pi_${at}`,
    version: 2 ** 52 + at,
  })),
  registrationIndex: [
    {
      ...UNREADABLE,
      deposit: 'pi_1',
      edition: '2026-01',
      version: 1,
      lookedAt: AT,
      until: AT,
      attention: null,
      begunAt: AT,
    },
  ],
  addresses: [{ digest: 'a digest', bounced: '{"at":"2026"}' }],
  waitingEntries: [
    {
      id: 'waiting_1',
      edition: '2026-01',
      address: 'a@b.example',
      joinedAt: AT,
      askedAt: AT,
      confirmedAt: null,
      ...NOBODY,
      firstName: 'Ada',
      offeredAt: null,
      offeredUntil: null,
      offeredBy: null,
      deposit: null,
      took: null,
    },
  ],
  acts: ['z', 'a'].map((id, number) => ({
    id,
    subject: 'pi_1',
    number,
    kind: 'consent',
    at: AT,
    byWhom: 'Ada',
    facts: '{}',
    undoes: id === 'a' ? 'z' : null,
  })),
  dues: [
    {
      id: 'due',
      registration: 'pi_1',
      name: 'balance',
      agreedIn: 'z',
      beforeFeeCents: 123_456,
      cardFeePerMille: 37.5,
      checkDiscountPerMille: 0,
      chargeAt: AT,
      lateDays: 2,
      refundsEndAt: AT,
      feeRefundable: 0,
    },
  ],
  payments: [
    {
      id: 'pi_1',
      registration: 'pi_1',
      name: 'deposit',
      edition: '2026-01',
      status: 'paid',
      asMade: 1,
      cents: 30_000,
      madeAt: AT,
      paidAt: AT,
      charge: 'ch_1',
      disputed: 0,
      card: null,
      beforeFeeCents: null,
      part: 0,
      recordedAt: AT,
      version: 1,
    },
  ],
  attempts: [
    {
      id: 'attempt',
      registration: 'pi_1',
      part: 0,
      number: 1,
      payment: 'pi_2',
      card: 'pm_1',
      begunAt: AT,
      endedAt: AT,
      code: 'lost_card',
      step: 1,
      nextAt: null,
      final: 1,
    },
  ],
  refunds: [{ id: 're_1', payment: 'pi_1', cents: 100, status: 'pending', at: AT, ordered: null }],
  disputes: [
    {
      id: 'du_1',
      payment: 'pi_1',
      cents: 30_000,
      reason: 'fraudulent',
      status: 'won',
      at: AT,
      evidenceDue: null,
    },
  ],
  letters: [
    {
      id: 'letter',
      subject: 'pi_1',
      kind: 'welcome',
      version: '',
      state: 'owed',
      owedAt: AT,
      endedAt: null,
      address: 'a@b.example',
      again: 0,
      askedBy: null,
      triedAt: null,
      notice: null,
      told: null,
    },
  ],
  stripeEvents: [{ id: 'evt_1', at: AT }],
};

const tables = Object.keys(rows).filter((name): name is keyof typeof rows => name in rows);

const fill = (database: Database) =>
  database.write(async (transaction) => {
    for (const table of tables) {
      const of = (from: number) => transaction.insertInto(table).values(rows[table].slice(from, from + 400));
      for (let from = 0; from < rows[table].length; from += 400) await of(from).execute();
    }
  });

const readAll = (database: Database) =>
  database.read(async (transaction) => {
    const all = tables.map(async (table) => {
      const read = await sql<object>`select * from ${sql.table(table)}`.execute(transaction);
      return [table, textsOf(read.rows)];
    });
    return Object.fromEntries(await Promise.all(all));
  });

const textsOf = (of: readonly object[]) =>
  of.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted();

const rowOf = (database: Database) =>
  database.read((transaction) => transaction.selectFrom('register').selectAll().executeTakeFirstOrThrow());

const noNote = async (): Promise<void> => {};

describe('moving the register to PostgreSQL', () => {
  test('takes every row of every table along, and its name; no process starts on the file any more', async (t) => {
    let name = '';
    const from = await closedRegister(t, async (database) => {
      await fill(database);
      ({ name } = await rowOf(database));
    });
    const to = await testDatabaseUrl(t, 'postgres', 'empty');
    const moved = await moveRegister({ from, to }, (register) =>
      register.updateTable('register').set({ eventsUntil: AT }).execute(),
    );
    assert.deepEqual(Object.fromEntries(moved), {
      register: 1,
      ...Object.fromEntries(tables.map((table) => [table, rows[table].length])),
    });
    const elsewhere = await testDatabaseUrl(t, 'postgres');
    await assert.rejects(moveRegister({ from, to: elsewhere }, noNote), /was moved to .* before$/);
    assert.deepEqual(await moveRegister({ from, to }, noNote), moved);
    const database = openTestDatabase(t, to);
    assert.deepEqual(
      await readAll(database),
      Object.fromEntries(tables.map((table) => [table, textsOf(rows[table])])),
    );
    const register = await rowOf(database);
    assert.deepEqual([register.name, register.eventsUntil, register.movedTo], [name, AT, null]);
    await assert.rejects(registrations(openTestDatabase(t, from)), {
      name: 'UnusableDatabaseError',
      message: /^The register was moved to 127\.0\.0\.1:\d+\/test_\d+: DATABASE_URL must name that one$/,
    });
  });

  test('again, after it was killed before the file was marked: the rows are compared only', async (t) => {
    const from = await closedRegister(t, (database) => insertRegistrations(database, 'one'));
    const copy = await testDatabaseUrl(t, 'sqlite');
    await copyFile(fileURLToPath(from), fileURLToPath(copy));
    const to = await testDatabaseUrl(t, 'postgres', 'empty');
    const moved = await moveRegister({ from: copy, to }, noNote);
    assert.deepEqual(await moveRegister({ from, to }, noNote), moved);
    assert.deepEqual(await registrations(openTestDatabase(t, to)), ['one']);
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
        const { database, url: from } = await testDatabase(t);
        await insertRegistrations(database, 'one');
        return { from, to: await testDatabaseUrl(t, 'postgres') };
      },
    },
    {
      when: 'there is no file',
      says: /cannot be used: ENOENT/,
      prepare: async (t) => ({
        from: await testDatabaseUrl(t, 'sqlite', 'empty'),
        to: await testDatabaseUrl(t, 'postgres'),
      }),
    },
    {
      when: 'the other database holds something',
      says: /into an empty one only$/,
      async prepare(t) {
        const { database, url: to } = await testDatabase(t, 'postgres');
        await insertRegistrations(database, 'two');
        return { from: await filled(t), to, left: ['two'] };
      },
    },
    {
      when: 'the tables are those of another release',
      says: /has the tables of another release \(migration 7, not \d+\)/,
      prepare: async (t) => ({
        to: await testDatabaseUrl(t, 'postgres'),
        from: await closedRegister(t, (database) =>
          database.write((transaction) =>
            transaction.updateTable('register').set({ migration: 7 }).execute().then(),
          ),
        ),
      }),
    },
    {
      when: 'PostgreSQL keeps something else than it was given',
      says: /does not give back what was written$/,
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
      assert.deepEqual(await registrations(openTestDatabase(t, to)), left);
      if (when !== 'there is no file') assert.equal((await rowOf(openTestDatabase(t, from))).movedTo, null);
    });
});
