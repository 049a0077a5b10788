import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { readEndedLetters, readSaid } from '#server/registration/registration.ts';
import { letter } from '#server/testing/sample-letters.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { engines, registration, testDatabase } from '#server/testing/test-database.ts';
import { type Mail, owedLetter } from './letter-kind.ts';
import { createLetterLog, oweTogether } from './letter-log.ts';
import type { LetterName } from './table.ts';

const ADDRESS = 'wilma@example.org';
const at = (hour: number): Date => new Date(Date.UTC(2030, 0, 1, hour));
const sample = letter('balance-notice');
const mail = (kind: LetterName, subject = 'reg_1', address = ADDRESS): Mail => ({
  ...sample,
  ...owedLetter(kind, subject, address),
});
const welcome = mail('welcome');
const { id } = welcome;

async function open(t: TestContext, engine: (typeof engines)[number]) {
  const { database } = await testDatabase(t, engine);
  const log = createLetterLog(database);
  const endedOf = async (subject: string) => {
    const all = ['reg_1', 'reg_2', 'reg_unknown'];
    return (await database.read((transaction) => readEndedLetters(transaction, all))).get(subject) ?? [];
  };
  const find = async () => (await log.find([id])).get(id) ?? assert.fail();
  return { database, log, endedOf, find };
}

for (const engine of engines) {
  describe(`the log of letters on ${engine}`, () => {
    test('keeps the letters of each subject, the oldest first', async (t) => {
      const { log, endedOf } = await open(t, engine);
      const received = mail('registration-received');
      await recordSent(log, mail('registration-received', 'reg_2'), at(1));
      await recordSent(log, welcome, at(3));
      await log.owe([received, mail('office-paid')], at(1));
      await log.dismiss(received.id, at(2));
      const shown = async (subject: string) =>
        (await endedOf(subject)).map(({ kind, state }) => `${kind} ${state}`);
      assert.deepEqual(await shown('reg_1'), ['registration-received dismissed', 'welcome sent']);
      assert.deepEqual(await shown('reg_2'), ['registration-received sent']);
      assert.deepEqual(await shown('reg_unknown'), []);
    });

    test('owes a letter once, and once more after it was dropped; what was sent stays sent', async (t) => {
      const { log, find } = await open(t, engine);
      const shown = async () => {
        const { state, owedAt, endedAt, address } = await find();
        return [state, owedAt, endedAt, address];
      };
      for (const hour of [1, 2]) await log.owe([welcome], at(hour));
      assert.deepEqual(await shown(), ['owed', at(1), undefined, ADDRESS]);
      assert.deepEqual([await log.owedSince(at(0)), await log.owedSince(at(1))], [[], [id]]);
      await log.drop(id, at(3));
      await log.forgetAddresses(at(4));
      assert.deepEqual(await shown(), ['dropped', at(1), at(3), '']);
      await log.owe([welcome], at(4));
      assert.deepEqual(await shown(), ['owed', at(4), undefined, ADDRESS]);
      for (const hour of [5, 6]) await log.markSent(welcome, at(hour));
      await log.drop(id, at(7));
      await log.dismiss(id, at(7));
      await log.owe([welcome], at(8));
      assert.deepEqual(await shown(), ['sent', at(4), at(5), ADDRESS]);
    });

    test('owes many together, in one transaction: those that are not on record, or were dropped', async (t) => {
      const { log, database } = await open(t, engine);
      const [sent, dropped, owed] = [welcome, mail('office-paid'), mail('balance-paid')];
      const others = Array.from({ length: 398 }, (_, index) => mail('message', `reg_of_many_${index}`));
      const all = [sent, dropped, owed, ...others];
      await recordSent(log, sent, at(1));
      await log.owe([dropped, owed], at(1));
      await log.drop(dropped.id, at(2));
      /** The ids that each run of the transaction returns. */
      const owe = async () => {
        const runs: (readonly string[])[] = [];
        await database.write(
          async (transaction) => void runs.push(await oweTogether(transaction, all, at(4))),
        );
        return runs.flat();
      };
      assert.deepEqual(new Set(await owe()), new Set([dropped, ...others].map((one) => one.id)));
      assert.deepEqual(await owe(), []);
    });

    test('knows what was sent about nobody who has paid: a deposit may be paid without a card', async (t) => {
      const { log, database } = await open(t, engine);
      const rows = [{ ...registration('reg_1'), paidAt: at(0) }, registration('reg_2')];
      await database.write((transaction) =>
        transaction
          .insertInto('registrations')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
      const unpaid = mail('registration-received', 'reg_2');
      for (const one of [welcome, unpaid]) await recordSent(log, one, at(1));
      assert.deepEqual(await log.sentUnpaid(at(2)), [unpaid.id]);
    });

    test('a copy that was asked for has a name of its own, and says who asked', async (t) => {
      const { log, endedOf } = await open(t, engine);
      await recordSent(log, welcome, at(1));
      const copy = await log.oweAgain(welcome, { name: '1', askedBy: 'Anna' }, at(2));
      assert.equal(copy, `${id}-again-1`);
      const about = await log.about('reg_1');
      assert.deepEqual(
        about.map(({ state, again, askedBy, address }) => `${state} ${again} ${askedBy} ${address}`),
        [`sent false undefined ${ADDRESS}`, `owed true Anna ${ADDRESS}`],
      );
      await log.dismiss(copy, at(3));
      assert.equal((await endedOf('reg_1')).at(-1)?.state, 'sent', 'the letter itself was sent');
    });

    test('what a notice announced is kept, also once she is forgotten; a copy comes too late to announce it', async (t) => {
      const { log, endedOf, find, database } = await open(t, engine);
      const notice = mail('balance-notice');
      assert.ok(notice.notice);
      await recordSent(log, notice, at(2));
      const copy = await log.oweAgain(notice, { name: '1' }, at(3));
      await log.markSent(notice, at(3), copy, 'Dear Wilma');
      const announced = async () => (await endedOf('reg_1')).map((one) => one.notice);
      assert.deepEqual(await announced(), [notice.notice, undefined]);
      const addresses = async () => (await log.about('reg_1')).map(({ address }) => address);
      const said = (subject = 'reg_1') => readSaid({ database }, subject, copy);
      assert.deepEqual([await said(), await said('reg_2')], ['Dear Wilma', undefined]);
      await log.forgetAddresses(at(3));
      assert.deepEqual(await addresses(), ['', ADDRESS]);
      await log.owe([welcome], at(4));
      await log.forget('reg_1', at(5));
      assert.deepEqual(await announced(), [notice.notice, undefined, undefined]);
      assert.deepEqual([...new Set(await addresses())], ['']);
      assert.equal((await find()).state, 'dismissed');
    });
  });
}
