import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { addNote, calledBack } from '#server/office/commands/note-commands.ts';
import { timelineOf } from '#server/office/timeline.ts';
import { readActs } from '#server/registration/acts.ts';
import { changeNotes } from '#server/registration/notes.ts';
import { closeUnpaid } from '#server/stripe/forget.ts';
import { answerQuestions } from '#server/stripe/her-details.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { textOf } from '#server/testing/test-database.ts';
import { testQuestions } from '#server/testing/test-editions.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const CALL = { text: 'Wants a quiet room.\r\n\r\nCall her after six.', callBack: 'yes' };

async function startNotes(t: TestContext) {
  const office = await startOffice(t);
  const id = await office.register();
  const note = async (text: string, more: object = {}) =>
    (await office.preview(id, 'note', { text, ...more })).confirm();
  const needs = async () => needsOf(await office.find(id), office.now()).map(({ need }) => need);
  const toCall = async () => (await office.see('/office?show=call-back')).text;
  return { ...office, id, note, needs, toCall };
}

describe('the office notes something about a registrant', () => {
  test('a call back that a note asks for comes first, with its words, until somebody records it', async (t) => {
    const { id, preview, seeRegistration, seeForm, needs, toCall, audited, auditedFacts, held, log } =
      await startNotes(t);
    const heldBefore = await held();
    assert.match((await preview(id, 'note', { text: ' \n ' })).text, /Please write the note/);
    assert.match((await preview(id, 'note', { text: 'x'.repeat(1_001) })).text, /1,000 characters at most/);
    assert.match((await seeForm(id, 'called-back')).text, /No note asks for her to be called back/);
    const shown = await preview(id, 'note', CALL);
    assert.equal(shown.button, 'Keep this note, and have her called back');
    assert.match(
      shown.says.join('\n'),
      /^Call her back Wants a quiet room\.\n\nCall her after six\.\nIt stands with/,
    );
    assert.deepEqual([await needs(), await held()], [[], heldBefore]);

    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.deepEqual(await needs(), ['call-back']);
    const first = done.led?.document.querySelector('.registration-lead p');
    assert.equal(first?.textContent, 'Call her back');
    const [noted] = done.led?.document.querySelectorAll('.note-list li') ?? [];
    assert.match(
      noted?.textContent ?? '',
      /quiet room\.\n\nCall her after six\.Note 1, Anna, .*Call her back$/,
    );
    assert.match(await toCall(), /Wilma O’Hara.*Call her back/);
    assert.equal((await shown.confirm()).status, 409, 'a second press adds no second note');

    const called = await (await preview(id, 'called-back')).confirm();
    assert.match(called.led?.text ?? '', /Anna: called her back/);
    assert.deepEqual(await needs(), []);
    assert.match(await toCall(), /There is nobody here/);
    assert.deepEqual(audited, ['Anna note: done', 'Anna note: changed', 'Anna called-back: done']);
    assert.ok(!`${JSON.stringify(auditedFacts)}${log.text()}`.includes('quiet'));
    assert.equal((await seeRegistration(id)).document.querySelectorAll('.note-list li').length, 1);
  });

  test('no note owes a letter, or voids what was shown of another act; nor does an answer', async (t) => {
    const { id, note, preview, find, work, letterLog, now, mailQueue, payments } = await startNotes(t);
    await work();
    const owed = async () => (await letterLog.about(id)).map((letter) => letter.id);
    const [owedBefore, shown] = [
      await owed(),
      await preview(id, 'waive', { dollars: '200', as: 'reduction', reason: '' }),
    ];
    await note('Her sister is very ill');
    const answer = { question: testQuestions.song, answer: 'None' };
    await answerQuestions(payments, await find(id), [answer], now());
    assert.equal((await shown.confirm()).status, 303);
    await note('Her sister is very ill, again');
    await work();
    const waived = (await owed()).filter((one) => !owedBefore.includes(one));
    assert.deepEqual(
      waived.map((one) => one.split('-reg_')[0]),
      ['tuition-reduced'],
      'the message about the reduction alone',
    );
    assert.ok(
      !JSON.stringify((await mailQueue.bullQueue.getJobs()).map(({ data }) => data)).includes('sister'),
    );
    const told = timelineOf(await find(id), []).map(({ what }) => what);
    assert.ok(told.includes('Anna: note 1: Her sister is very ill'), now().toISOString());
  });

  test('of two who note or call at once, one is told to look again', async (t) => {
    const { id, context, find } = await startNotes(t);
    const asked = { by: 'Anna', 'dry-run': false };
    const both = (act: () => Promise<unknown>) => Promise.allSettled([act(), act()]);
    for (const act of [
      () => addNote.run(context, id, { text: 'called', callBack: true }, asked),
      () => calledBack.run(context, id, {}, asked),
    ])
      assert.deepEqual((await both(act)).map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.equal((await find(id)).notes.length, 1);
  });

  test('what a note said is gone once it is taken back, or her data are removed', async (t) => {
    const office = await startNotes(t);
    const { id, note, preview, needs, find, database, signIn, moveTo, seeForm } = office;
    await note('Owes a favour', { callBack: 'yes' });
    await note('Comes by train');
    const shown = await preview(id, 'take-back-note', { number: '1' });
    assert.equal(shown.button, 'Take note 1 back');
    assert.match(shown.says.join('\n'), /^Note 1, Anna, .* Owes a favour$/m);
    const done = await shown.confirm();
    assert.match(done.led?.text ?? '', /Anna: note 1, to call her back, taken back.*Anna: took back note 1/);
    assert.equal(done.led?.document.querySelectorAll('.note-list li').length, 1);
    assert.deepEqual(await needs(), []);
    assert.ok(!(await textOf(database)).includes('favour'));
    assert.equal((await preview(id, 'take-back-note', { number: '1' })).status, 422);

    moveTo(daysAfter(new Date(edition.facts.endsAt), 1));
    signIn({ name: 'Sol', role: 'support' });
    await note('Call about the recordings', { callBack: 'yes' });
    await (await preview(id, 'forget')).confirm();
    assert.doesNotMatch(await textOf(database), /train|about the recordings/);
    assert.equal((await find(id)).notes.length, 3);
    assert.ok(!(await needs()).includes('call-back'));
    assert.match((await seeForm(id, 'note')).text, /nothing more is noted about her/);
    const acts = await database.read((transaction) => readActs(transaction, id));
    assert.equal(acts.filter(({ kind }) => kind === 'note').length, 3);
  });

  test('nothing is noted any more, and nobody called back, once an unpaid registration ended', async (t) => {
    const { begin, context, find, payments, now } = await startNotes(t);
    const { id } = await begin();
    const before = await find(id);
    await addNote.run(context, id, { text: 'Call her', callBack: true }, { by: 'Anna', 'dry-run': false });
    const noted = await find(id);
    assert.deepEqual(
      needsOf(noted, now()).map(({ need }) => need),
      ['call-back'],
    );
    await payments.ask(closeUnpaid, id);
    const closed = await find(id);
    assert.deepEqual(needsOf(closed, now()), []);
    assert.match(
      addNote.whyNot({ record: closed, now: now(), letters: [], messages: [] }) ?? '',
      /nothing more is noted about her/,
    );
    const act = { kind: 'note' as const, at: now(), by: 'Anna', facts: { text: 'Comes by train' } };
    for (const seen of [before, noted, closed])
      assert.equal(await changeNotes(payments, seen, act), false, 'also pressed in that moment');
  });
});
