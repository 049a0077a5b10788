import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { officePaths } from '#server/office/paths.ts';
import { closeUnpaid } from '#server/stripe/forget.ts';
import { core, give } from '#server/testing/command-drivers.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { textOf } from '#server/testing/test-database.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import type { CommandContext } from './command.ts';
import { registrations } from './subjects.ts';

async function startNotes(t: TestContext, options: Parameters<typeof startOffice>[1] = {}) {
  const office = await startOffice(t, options);
  const id = await office.register();
  return {
    ...office,
    id,
    note: (text: string, callBack = '') => give(office, id, 'note', { text, callBack }),
    needs: async () => needsOf(await office.find(id), office.now()).map(({ need }) => need),
  };
}

describe('a note about a registrant', () => {
  test('takes one transaction of four statements at most, and asks Stripe nothing', async (t) => {
    const asked: string[] = [];
    const office = await startNotes(t, {
      writesOnce: true,
      intercept({ path }) {
        asked.push(path);
        return undefined;
      },
    });
    const { id, context, stripe, letterLog, payments, database } = office;
    const transactions: number[] = [];
    const counted = {
      ...database,
      write: <Result>(
        work: (transaction: Parameters<Parameters<typeof database.write>[0]>[0]) => Promise<Result>,
      ) =>
        database.write((transaction) => {
          transactions.push(0);
          return work(
            transaction.withPlugin({
              transformQuery({ node }) {
                transactions.push((transactions.pop() ?? 0) + 1);
                return node;
              },
              transformResult: async ({ result }) => result,
            }),
          );
        }),
    };
    const counting: CommandContext = {
      ...context,
      payments: {
        ...payments,
        ask: (operation, ...given) => operation({ stripe, database: counted, letterLog }, ...given),
      },
    };
    const about = await registrations.find(context, id);
    const note = registrations.commands.find((one) => one.id === 'note') ?? assert.fail();
    const prepared = note.prepare({ text: 'Comes by train' }, about);
    assert.ok('give' in prepared);
    asked.length = 0;
    const call = { about, by: 'Anna', context: counting };
    const { outcome } = await prepared.give(call, { isTried: false });
    assert.equal(outcome, 'done');
    assert.deepEqual(asked, []);
    assert.equal(transactions.length, 1);
    assert.ok((transactions[0] ?? 5) <= 4, `${transactions}`);
  });

  test('that asks for a call comes first, with its words, until somebody records the call', async (t) => {
    const { id, preview, context, needs, see, seeRegistration, audited, auditedFacts, log } =
      await startNotes(t);
    const typed = { text: 'Wants a quiet room.\r\n\r\nCall her after six.', callBack: 'yes' };
    const shown = await preview(id, 'note', typed);
    assert.equal(shown.button, 'Keep this note, and have her called back');
    const { led } = await shown.confirm();
    assert.deepEqual(await needs(), ['call-back']);
    assert.equal(led?.document.querySelector('.person-lead .need')?.textContent, 'Call her back');
    const [noted] = led?.document.querySelectorAll('.timeline__note') ?? [];
    assert.match(
      noted?.textContent ?? '',
      /Anna: note 1, to call her back: Wants a quiet room\.\n\nCall her after six\.$/,
    );
    const toCall = async () => (await see(`${officePaths.list}?show=call-back`)).text;
    assert.match(await toCall(), /Wilma O’Hara.*Call her back/);
    await give({ context }, id, 'called-back');
    assert.deepEqual(await needs(), []);
    assert.match(await toCall(), /There is nobody here/);
    assert.match((await seeRegistration(id)).text, /Anna: called her back/);
    assert.deepEqual(audited, ['Anna note: done']);
    assert.ok(!`${JSON.stringify(auditedFacts)}${log.text()}`.includes('quiet'));
  });

  test('keeps no word once it is taken back, or her data are removed', async (t) => {
    const office = await startNotes(t);
    const { id, note, needs, find, database, moveTo, seeRegistration, seeForm } = office;
    await note('Owes a favour', 'yes');
    await note('Comes by train');
    await give(office, id, 'undo', { what: 'note-1' });
    const { text } = await seeRegistration(id);
    assert.match(text, /Anna: took back: note 1.*Anna: note 1, to call her back, taken back/);
    assert.deepEqual(await needs(), []);
    assert.ok(!(await textOf(database)).includes('favour'));
    await assert.rejects(give(office, id, 'undo', { what: 'note-1' }), { reason: 'wrongUsage' });

    moveTo(daysAfter(new Date(edition.facts.endsAt), 1));
    await note('Call about the recordings', 'yes');
    await give(office, id, 'forget');
    assert.doesNotMatch(await textOf(database), /train|about the recordings/);
    assert.equal((await find(id)).notes.length, 3);
    assert.ok(!(await needs()).includes('call-back'));
    assert.match((await seeForm(id, 'note')).text, /nothing more is noted about her/);
  });

  test('is not possible, and nobody is to be called, once an unpaid registration ended', async (t) => {
    const office = await startNotes(t);
    const { id } = await office.begin();
    await give(office, id, 'note', { text: 'Call her', callBack: 'yes' });
    const shown = await core(office, id, 'note', { text: 'Comes by train' });
    await office.payments.ask(closeUnpaid, id);
    assert.deepEqual(needsOf(await office.find(id), office.now()), []);
    assert.equal(await shown.press(), false);
    await assert.rejects(give(office, id, 'note', { text: 'x' }), /nothing more is noted about her/);
  });
});
