import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { letter, wilma } from '#scripts/world/letters.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { engines, registration, testDatabase } from '#server/testing/test-database.ts';
import { mailJobId } from './job.ts';
import { createLetterLog, oweTogether, readEndedLetters } from './letter-log.ts';

const at = (hour: number): Date => new Date(Date.UTC(2030, 0, 1, hour));

async function open(t: TestContext, engine: (typeof engines)[number]) {
  const { database } = await testDatabase(t, engine);
  const subjects = [wilma.registration, 'reg_other', 'reg_unknown'];
  return {
    database,
    log: createLetterLog(database),
    endedOf: async (subject: string) =>
      (await database.read((transaction) => readEndedLetters(transaction, subjects))).get(subject) ?? [],
  };
}

for (const engine of engines) {
  describe(`the log of letters on ${engine}`, () => {
    test('keeps the letters of each subject, the oldest first', async (t) => {
      const { log, endedOf } = await open(t, engine);
      const welcome = letter('welcome');
      await recordSent(log, { ...letter('registration-received'), registration: 'reg_other' }, at(1));
      await recordSent(log, welcome, at(3));
      await log.owe([letter('registration-received'), letter('office-paid')], at(1));
      await log.dismiss(mailJobId(letter('registration-received')), at(2));
      const shown = async (subject: string) =>
        (await endedOf(subject)).map(({ kind, state }) => [kind, state]);
      assert.deepEqual(await shown(wilma.registration), [
        ['registration-received', 'dismissed'],
        ['welcome', 'sent'],
      ]);
      assert.deepEqual(await shown('reg_other'), [['registration-received', 'sent']]);
      assert.deepEqual(await shown('reg_unknown'), []);
    });

    test('owes a letter once, and once more after it was dropped; what was sent stays sent', async (t) => {
      const { log } = await open(t, engine);
      const welcome = letter('welcome');
      const id = mailJobId(welcome);
      const shown = async () => {
        const one = (await log.find([id])).get(id);
        return [one?.state, one?.owedAt, one?.endedAt];
      };
      await log.owe([welcome], at(1));
      await log.owe([welcome], at(2));
      assert.deepEqual(await shown(), ['owed', at(1), undefined]);
      assert.deepEqual(await log.owedSince(at(0)), []);
      assert.deepEqual(await log.owedSince(at(1)), [id]);
      await log.drop(id, at(3));
      assert.deepEqual(await shown(), ['dropped', at(1), at(3)]);
      await log.forgetAddresses(at(4));
      await log.owe([welcome], at(4));
      assert.deepEqual(await shown(), ['owed', at(4), undefined]);
      assert.equal((await log.find([id])).get(id)?.address, welcome.email);
      await log.markSent(welcome, at(5));
      await log.markSent(welcome, at(6));
      await log.drop(id, at(7));
      await log.dismiss(id, at(7));
      await log.owe([welcome], at(8));
      assert.deepEqual(await shown(), ['sent', at(4), at(5)]);
    });

    test('owes many together, in one transaction: those that are not on record, or were dropped', async (t) => {
      const { log, database } = await open(t, engine);
      const many = Array.from({ length: 401 }, (_, number) => ({
        ...letter('message'),
        registration: `reg_${number}`,
        email: `p${number}@example.org`,
      }));
      const [sent, dropped, owed] = many;
      assert.ok(sent && dropped && owed);
      await recordSent(log, sent, at(1));
      await log.owe([dropped, owed], at(1));
      await log.drop(mailJobId(dropped), at(2));
      await log.forgetAddresses(at(3));
      /** The ids that each run of the transaction returns. */
      const owe = async () => {
        const runs: (readonly string[])[] = [];
        await database.write(async (transaction) => {
          runs.push(await oweTogether(transaction, many, at(4)));
        });
        return runs.flat();
      };
      const ids = new Set(await owe());
      assert.deepEqual(
        [ids.size, ids.has(mailJobId(sent)), ids.has(mailJobId(dropped)), ids.has(mailJobId(owed))],
        [399, false, true, false],
      );
      const { state, owedAt, endedAt, address } = (await log.about('reg_1'))[0] ?? assert.fail();
      assert.deepEqual([state, owedAt, endedAt, address], ['owed', at(4), undefined, 'p1@example.org']);
      assert.deepEqual(await owe(), []);
    });

    test('knows what was sent about nobody who has paid: a deposit may be paid without a card', async (t) => {
      const { log, database } = await open(t, engine);
      const paid = { ...registration(wilma.registration), paidAt: at(0) };
      const unpaid = registration('reg_other');
      await database.write((transaction) =>
        transaction
          .insertInto('registrations')
          .values([paid, unpaid])
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
      await recordSent(log, letter('welcome'), at(1));
      const received = { ...letter('registration-received'), registration: 'reg_other' };
      await recordSent(log, received, at(1));
      assert.deepEqual(await log.sentUnpaid(at(2)), [mailJobId(received)]);
    });

    test('a copy that was asked for has a name of its own, and says who asked', async (t) => {
      const { log, endedOf } = await open(t, engine);
      const welcome = letter('welcome');
      await recordSent(log, welcome, at(1));
      const id = await log.oweAgain(welcome, { name: '1', askedBy: 'Anna' }, at(2));
      assert.equal(id, `${mailJobId(welcome)}-again-1`);
      const about = await log.about(wilma.registration);
      assert.deepEqual(
        about.map(({ state, again, askedBy, address }) => [state, again, askedBy, address]),
        [
          ['sent', false, undefined, welcome.email],
          ['owed', true, 'Anna', welcome.email],
        ],
      );
      await log.dismiss(id, at(3));
      const left = await endedOf(wilma.registration);
      assert.deepEqual(
        left.map(({ state }) => state),
        ['sent'],
        'the letter itself was sent',
      );
    });

    test('what a notice announced is kept, also once she is forgotten', async (t) => {
      const { log, endedOf } = await open(t, engine);
      const notice = letter('balance-notice');
      await recordSent(log, notice, at(2));
      // A copy that the office asked for later cannot announce the charge in time.
      const copy = await log.oweAgain(notice, { name: '1' }, at(3));
      await log.markSent({ ...notice, again: true }, at(3), copy);
      const [first] = await endedOf(wilma.registration);
      assert.deepEqual(
        [first?.notice?.dueAt.toISOString(), first?.notice?.cents],
        [new Date(notice.dueAt).toISOString(), notice.cents],
      );
      const addresses = async () => (await log.about(wilma.registration)).map(({ address }) => address);
      await log.forgetAddresses(at(3));
      assert.deepEqual(await addresses(), ['', notice.email]);
      await log.owe([letter('welcome')], at(4));
      await log.forget(wilma.registration, at(5));
      const left = await endedOf(wilma.registration);
      assert.deepEqual(
        left.filter(({ notice: announced }) => announced).map(({ at: ended }) => ended),
        [at(2)],
      );
      assert.deepEqual([...new Set(await addresses())], ['']);
      const about = await log.about(wilma.registration);
      assert.equal(about.find(({ kind }) => kind === 'welcome')?.state, 'dismissed');
    });
  });
}
