import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { v7 as uuidV7 } from 'uuid';
import { noteChange, type Transaction } from '#server/database/database.ts';
import type { TestScope } from './clean-up.ts';
import { type EngineName, engines, registration, testDatabase } from './test-database.ts';

const MADE_AT = new Date('2026-01-22T16:30:00Z');

type Work = (transaction: Transaction) => Promise<unknown>;

const mark = (transaction: Transaction, id: string) =>
  transaction.insertInto('marks').values({ id, madeAt: MADE_AT });

const markOnce = (transaction: Transaction, id: string) =>
  mark(transaction, id)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

const outside = uuidV7();
let probes = 0;

const IDEMPOTENT: Readonly<Record<string, Work>> = {
  'adds a row whose id was made outside': (transaction) => markOnce(transaction, outside),
  'notes a change, which raises a version': (transaction) => noteChange(transaction, 'reg_1'),
};

const OTHERS: Readonly<Record<string, readonly [Work, RegExp]>> = {
  'adds a row whose id is made inside': [
    (transaction) => markOnce(transaction, uuidV7()),
    /The second run changes nothing/,
  ],
  'changes nothing and returns an id that is made inside': [
    async () => uuidV7(),
    /The second run returns the same/,
  ],
  'adds its row without looking': [
    async (transaction) => void (await mark(transaction, outside).execute()),
    /unique/i,
  ],
  'counts up': [
    (transaction) =>
      transaction
        .updateTable('registrations')
        .set(({ eb }) => ({ linksEpoch: eb('linksEpoch', '+', 1) }))
        .execute(),
    /The second run changes nothing/,
  ],
  'notes a later moment where none may rise': [
    (transaction) =>
      transaction
        .updateTable('register')
        .set({ probedAt: new Date(++probes) })
        .execute(),
    /The second run changes nothing/,
  ],
};

/** Runs a write in a test of its own: what the write rejects with, and what that test fails with at its end. */
async function runInTest(engine: EngineName, work: Work) {
  const ends: (() => unknown)[] = [];
  const scope: TestScope = { after: (end) => void ends.push(end) };
  const { database } = await testDatabase(scope, engine);
  await database.write((transaction) =>
    transaction
      .insertInto('registrations')
      .values(registration('reg_1'))
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  const errorsOf = async (runs: readonly Promise<unknown>[]): Promise<string[]> =>
    (await Promise.allSettled(runs)).flatMap((run) =>
      run.status === 'rejected' ? [String(run.reason)] : [],
    );
  return {
    written: await errorsOf([database.write(work)]),
    ended: await errorsOf(ends.map(async (end) => end())),
  };
}

for (const engine of engines)
  describe(`a test’s register in ${engine} runs each write twice; a write that`, () => {
    for (const [name, work] of Object.entries(IDEMPOTENT))
      test(`${name}, is not reported`, async () => {
        assert.deepEqual(await runInTest(engine, work), { written: [], ended: [] });
      });

    for (const [name, [work, report]] of Object.entries(OTHERS))
      test(`${name}, fails, and so does its test if nobody looks at the error`, async () => {
        const { written, ended } = await runInTest(engine, work);
        assert.deepEqual([written.length, ended.length], [1, 1]);
        assert.match(written[0] ?? '', report);
        assert.match(ended[0] ?? '', report);
      });
  });
