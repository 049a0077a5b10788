import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Transaction } from '#server/database/database.ts';
import { engines, registration, testDatabase } from '#server/testing/test-database.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { addAct, askTodaysPrices, inForce, insertRegistration, readMoney } from './registration.ts';

const { facts } = edition;
const dearer = {
  ...facts,
  prices: {
    ...facts.prices,
    depositBeforeFeeCents: 80_000,
    depositCents: 83_000,
    balanceBeforeFeeCents: 75_000,
  },
};
const row = { ...registration('reg_1'), edition: facts.id };

const askedOf = async (transaction: Transaction) => {
  const { ledger } = (await readMoney(transaction, ['reg_1']))('reg_1');
  return ledger && inForce(ledger).map(({ number, cents, cardFeeCents }) => [number, cents, cardFeeCents]);
};
/** The balance that she agrees to by its terms, which are those of before. */
const BALANCE = [1, 70_000, 2_625];

for (const engine of engines)
  describe(`R8 the prices that are asked of somebody who registers, on ${engine}`, () => {
    test('are those of the day on which she submits last', async (t) => {
      const { database } = await testDatabase(t, engine);
      await database.write(async (transaction) => {
        if ((await readMoney(transaction, ['reg_1']))('reg_1').ledger.installments.length) return;
        await insertRegistration(transaction, row, facts);
      });
      assert.deepEqual(await database.read(askedOf), [[0, 69_500, 2_600], BALANCE]);
      for (const today of [dearer, dearer, facts, dearer])
        await database.write((transaction) => askTodaysPrices(transaction, row, today));
      assert.deepEqual(await database.read(askedOf), [[0, 80_000, 3_000], BALANCE]);
    });

    test('are the office’s where it holds a place for her', async (t) => {
      const { database } = await testDatabase(t, engine);
      const held = { way: 'check', until: '2025-12-01T00:00:00.000Z', cents: 40_000 };
      const act = {
        id: 'held',
        subject: 'reg_1',
        kind: 'held' as const,
        at: row.begunAt,
        by: 'Anna',
        facts: held,
      };
      await database.write(async (transaction) => {
        if ((await readMoney(transaction, ['reg_1']))('reg_1').ledger.installments.length) return;
        await insertRegistration(transaction, row, facts);
        await addAct(transaction, act);
      });
      await database.write((transaction) => askTodaysPrices(transaction, row, dearer));
      assert.deepEqual(await database.read(askedOf), [[0, 40_000, 1_500], BALANCE]);
    });
  });
