import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askQuestions, testQuestions } from '#server/testing/test-editions.ts';
import { startOwnPage } from '#server/testing/test-own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';

const PROOF = '0142';

test('she downloads all that is kept about her, as text or JSON, with her proof only', async (t) => {
  askQuestions(t);
  const { enter, see, press, payments, deposit, find, now, tokenWith, contact } = await startOwnPage(t);
  const { table, health } = testQuestions;
  const given = [
    { question: table, answer: 'By myself' },
    { question: health, answer: 'Nuts' },
  ];
  await payments.answerQuestions(await find(), given, now());
  await payments.changeNotes(await find(), { adds: { text: 'Comes by train' } }, { at: now(), by: 'Anna' });
  const cookie = await enter();
  assert.match((await see(cookie).expect(200)).text, /href="\/place\/data"/);
  assert.doesNotMatch((await see(cookie, formPaths.data).expect(200)).text, /Comes by train/);
  for (const proof of ['', '9999']) {
    const { text } = await press(cookie, formPaths.data, { proof, format: 'text' }).expect(422);
    assert.doesNotMatch(text, /Comes by train/);
  }
  const read = await press(cookie, formPaths.data, { proof: PROOF, format: 'text' })
    .expect(200)
    .expect('Content-Type', /^text\/plain/)
    .expect('Content-Disposition', /^attachment; filename="?what-we-keep-about-you\.txt"?$/)
    .expect('Cache-Control', 'no-store');
  const { headers, text: json } = await press(cookie, formPaths.data, {
    proof: PROOF,
    format: 'json',
  }).expect(200);
  assert.match(headers['content-type'] ?? '', /^application\/json/);
  for (const text of [read.text, json]) {
    for (const words of ['Comes by train', 'By myself', contact.phoneNumber, deposit])
      assert.ok(text.includes(words), words);
    assert.doesNotMatch(text, /Nuts/);
    assert.match(text, /answers about health.*the office sends them/);
  }
  const office = (await payments.exportOf(deposit, now())) ?? assert.fail();
  assert.deepEqual(Object.keys(JSON.parse(json).tables), Object.keys(office.tables));
  assert.match(JSON.stringify(office), /Nuts/);
  const look = await enter(tokenWith({ scope: 'look' }));
  await press(look, formPaths.data, { proof: PROOF, format: 'json' }).expect(303);
});
