import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letter, letterContext } from '#scripts/world/letters.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { askedByTests, askingEdition, testQuestions } from '#server/testing/test-editions.ts';
import { assertSaid } from '#server/testing/test-letters.ts';
import { BEGUN, type Changes, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { composeLetter } from './compose-message.ts';
import { letterText } from './render/letter.ts';
import { letterNow } from './table.ts';

const { name, song } = testQuestions;
const REMIND = new Date(askedByTests.remindAt);
const CLOSED = new Date(askedByTests.editableUntil);
const before = (date: Date) => new Date(date.getTime() - 1);
const at = { at: BEGUN, by: 'Anna' };

describe('the reminder of the questions', () => {
  const reminderAt = (now: Date, changes: Changes = {}) =>
    letterNow('questions', recordWith({ edition: askingEdition, ...changes }), now);
  const isDue = (now: Date, changes: Changes = {}) => reminderAt(now, changes) !== undefined;

  test('is due from the edition’s moment on until the last day, and names what she must answer', () => {
    assert.deepEqual(
      [before(REMIND), REMIND, before(CLOSED), CLOSED].map((now) => isDue(now)),
      [false, true, true, false],
    );
    assert.deepEqual(reminderAt(REMIND)?.asked, [name.text]);
  });

  for (const [what, changes] of [
    [
      'once she has answered what she must',
      { answers: [{ question: name.id, asked: name.text, answer: 'W', at: BEGUN }] },
    ],
    ['where the edition asks nothing', { edition }],
    [
      'where nothing must be answered',
      { edition: { ...edition, questions: { ...askedByTests, items: [song] } } },
    ],
    ['before the welcome', { isUnwelcomed: true }],
    ['before she has paid', { deposit: 'unpaid' }],
    ['once she has cancelled', { decisions: { cancel: { ...at, writtenAt: BEGUN } } }],
  ] satisfies [string, Changes][])
    test(`is not due ${what}`, () => assert.equal(isDue(REMIND, changes), false));

  test('waits for two days where she has just paid, and so just read of the questions', () => {
    const paidAt = daysAfter(REMIND, 1);
    assert.deepEqual(
      [before(daysAfter(paidAt, 2)), daysAfter(paidAt, 2)].map((now) => isDue(now, { paidAt })),
      [false, true],
    );
  });

  test('says what is asked, by when, and whom to ask', () => {
    assertSaid(letter('questions', 'several'), [
      'We still have two questions for you',
      'What shall we call you in the room?',
      'With whom will you eat during these days?',
      'Please answer on your own page by Monday, January 26, 2026, at 12:00 am Pacific Time',
      letterContext.office.phone,
    ]);
    assertSaid(letter('questions'), ['We still have one question for you']);
  });
});

test('the welcome mentions the questions where the edition asks any, while they can be answered', () => {
  const welcomeOf = (one: typeof edition, writtenAt?: Date) =>
    letterText(
      composeLetter(
        { ...letter('welcome'), ...(writtenAt && { writtenAt: writtenAt.toISOString() }) },
        ...([one, letterContext] as const),
      ),
    );
  const mention = /There we also have three questions for you\. Please answer by Thursday, January 15, 2026/;
  assert.match(welcomeOf(askingEdition, before(CLOSED)), mention);
  assert.doesNotMatch(welcomeOf(askingEdition, CLOSED), mention);
  assert.doesNotMatch(welcomeOf(edition), /question for you|questions for you/);
});
