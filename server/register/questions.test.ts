import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedByTests, askQuestions, testQuestions } from '#server/testing/test-editions.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { healthKeptUntil } from '#shared/content/questions.ts';

const HOUR_MS = 60 * 60 * 1000;
const { name, health } = testQuestions;

test('who owes an answer is reminded once; answers about health are deleted thirty days after the retreat', async (t) => {
  askQuestions(t);
  const { register, work, sendAll, at, payments, find, now } = await startMailing(t);
  const [silent, talks] = [await register(), await register({ email: 'talks@example.org' })];
  await work();
  await sendAll();
  const given = [
    { question: name, answer: 'Wil' },
    { question: health, answer: 'Asthma' },
  ];
  await payments.answerQuestions(await find(talks), given, now());
  for (const moment of [edition.facts.balance.noticeAt, edition.facts.balance.chargeAt])
    await at(new Date(moment));
  assert.deepEqual(await at(new Date(askedByTests.remindAt)), ['questions']);
  assert.ok(!(await at(new Date(askedByTests.editableUntil))).includes('questions'));
  assert.equal((await find(silent)).letters.questions, 'sent');

  const over = healthKeptUntil(edition.facts);
  const kept = async () => (await find(talks)).answers.map(({ question }) => question);
  await at(new Date(over.getTime() - HOUR_MS));
  assert.deepEqual(await kept(), ['name-shown', 'health']);
  await at(over);
  assert.deepEqual(await kept(), ['name-shown']);
  assert.deepEqual(
    (await find(talks)).healthActs.map(({ what, by }) => [what, by]),
    [
      ['consent', 'the registrant'],
      ['removal', 'the worker'],
    ],
  );
});
