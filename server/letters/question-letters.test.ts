import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { daysAfter } from '#server/testing/test-charges.ts';
import { askedByTests, askingEdition, testQuestions } from '#server/testing/test-editions.ts';
import { readings } from '#server/testing/test-letters.ts';
import { BEGUN, type Changes, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { lettersNow } from './table.ts';

const { name, song } = testQuestions;
const REMIND = new Date(askedByTests.remindAt);
const CLOSED = new Date(askedByTests.editableUntil);
const before = (date: Date) => new Date(date.getTime() - 1);

describe('the letters about the questions', () => {
  const textOf = (kind: 'questions' | 'welcome', now: Date, changes: Changes = {}) => {
    const [mail] = lettersNow(kind, recordWith({ edition: askingEdition, ...changes }), now);
    return mail && readings(mail)[0];
  };
  const isDue = (now: Date, changes?: Changes) => textOf('questions', now, changes) !== undefined;

  test('the reminder is due from the edition’s moment on until the last day, and names only what she must answer', () => {
    const moments = [before(REMIND), REMIND, before(CLOSED), CLOSED];
    assert.deepEqual(
      moments.map((now) => isDue(now)),
      [false, true, true, false],
    );
    const text = textOf('questions', REMIND) ?? '';
    assert.ok(text.includes(name.text) && !text.includes(song.text));
  });

  const answers = [{ question: name.id, asked: name.text, answer: 'W', at: BEGUN }];
  const none = { ...edition, questions: { ...askedByTests, items: [song] } };
  for (const [when, changes] of [
    ['once she has answered what she must', { answers }],
    ['where the edition asks nothing', { edition }],
    ['where nothing must be answered', { edition: none }],
    ['before the welcome', { isUnwelcomed: true }],
    ['before she has paid', { deposit: 'unpaid' }],
    ['once she has cancelled', { decisions: { cancel: { at: BEGUN, by: 'Anna', writtenAt: BEGUN } } }],
  ] satisfies [string, Changes][])
    test(`the reminder is not due ${when}`, () => assert.equal(isDue(REMIND, changes), false));

  test('the reminder waits for two days where she has just paid, and so just read of the questions', () => {
    const paidAt = daysAfter(REMIND, 1);
    const due = daysAfter(paidAt, 2);
    assert.deepEqual([isDue(before(due), { paidAt }), isDue(due, { paidAt })], [false, true]);
  });

  test('the welcome mentions them where the edition asks any, while they can be answered', () => {
    const mention = /three questions.*January 15, 2026/;
    assert.match(textOf('welcome', before(CLOSED)) ?? '', mention);
    assert.doesNotMatch(textOf('welcome', CLOSED) ?? '', mention);
    assert.doesNotMatch(textOf('welcome', BEGUN, { edition }) ?? '', /questions? for you/);
  });
});
