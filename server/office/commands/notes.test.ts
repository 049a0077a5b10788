import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { officePaths } from '#server/office/paths.ts';
import { give } from '#server/testing/command-drivers.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { textOf } from '#server/testing/test-database.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

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
  test('that asks for a call comes first, with its words, until somebody records the call; Stripe is asked nothing', async (t) => {
    const asked: string[] = [];
    const office = await startNotes(t, { intercept: ({ path }) => void asked.push(path) });
    const { id, preview, context, needs, see, seeRegistration, audited, auditedFacts, log } = office;
    const typed = { text: 'Wants a quiet room.\r\n\r\nCall her after six.', callBack: 'yes' };
    const shown = await preview(id, 'note', typed);
    assert.equal(shown.button, 'Keep this note, and have her called back');
    asked.length = 0;
    const { led } = await shown.confirm();
    assert.deepEqual(asked, []);
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
});
