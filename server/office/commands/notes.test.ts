import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { give } from '#server/testing/command-drivers.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { textOf } from '#server/testing/test-database.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

describe('a note about a registrant', () => {
  test('stands on her page of the office with its lines; Stripe is asked nothing, and the log has none of it', async (t) => {
    const asked: string[] = [];
    const office = await startOffice(t, { intercept: ({ path }) => void asked.push(path) });
    const { preview, audited, auditedFacts, log } = office;
    const text = 'Wants a quiet room.\r\n\r\nCall her after six.';
    const shown = await preview(await office.register(), 'note', { text });
    asked.length = 0;
    const { led } = await shown.confirm();
    assert.deepEqual(asked, []);
    const [noted] = led?.document.querySelectorAll('.timeline__note') ?? [];
    assert.match(noted?.textContent ?? '', /Anna: note 1: Wants a quiet room\.\n\nCall her after six\.$/);
    assert.deepEqual(audited, ['Anna note: done']);
    assert.ok(!`${JSON.stringify(auditedFacts)}${log.text()}`.includes('quiet'));
  });

  test('keeps no word once it is taken back, or her data are removed', async (t) => {
    const office = await startOffice(t);
    const { find, database, moveTo, seeRegistration, seeForm } = office;
    const id = await office.register();
    const note = (text: string) => give(office, id, 'note', { text });
    await note('Owes a favour');
    await note('Comes by train');
    await give(office, id, 'undo', { what: 'note-1' });
    const { text } = await seeRegistration(id);
    assert.match(text, /Anna: took back: note 1.*Anna: note 1, taken back/);
    assert.ok(!(await textOf(database)).includes('favour'));
    await assert.rejects(give(office, id, 'undo', { what: 'note-1' }), { reason: 'wrongUsage' });

    moveTo(daysAfter(new Date(edition.facts.endsAt), 1));
    await note('Call about the recordings');
    await give(office, id, 'forget');
    assert.doesNotMatch(await textOf(database), /train|about the recordings/);
    assert.equal((await find(id)).notes.length, 3);
    assert.match((await seeForm(id, 'note')).text, /nothing more is noted about her/);
  });
});
