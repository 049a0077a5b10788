import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type EditionMonths, foreignDates } from './check-texts.ts';

/** Registration opens in January, and the balance is due in April. */
const may: EditionMonths = { retreat: ['2027-05', '2027-05'], further: ['2027-01', '2027-04'] };

/** A text of the edition of May 2027, and the dates in it that are of something else. */
const cases: readonly (readonly [text: string, ...foreign: string[]])[] = [
  ['January 2026 Retreat Deposit', 'January 2026'],
  ['January Retreat Deposit', 'January'],
  ['For four days in January, put down the diets.', 'January'],
  ['Until January,', 'January'],
  ['let January be about something kinder', 'January'],
  ['The May 2027 retreat, and a 2026 one', '2026'],
  ['May 2026', '2026'],
  ['From January 22 to 25, 2026', 'January 22 to 25, 2026'],
  ['January&nbsp;22–25, 2026', 'January 22–25, 2026'],
  ['2026-01-22', '2026'],
  ['It opens in January, the balance is due in April', 'January', 'April'],

  ['May 2027, from May 13–16, and from Thursday, May 13, 2027'],
  ['For four days in May, until Sunday'],
  ['The balance is due on Wednesday, April 14, in April 2027'],
  ['It opens on January 10, 2027'],
  ['May I turn the camera off? May we? How You May Join. March on with us. June Park asks'],
  ['you may march on, in an august circle'],
  ['The next retreat is on September 3, 2027; ask us in 2028'],
  ['I began in March 1989, and have taught since 2009'],
  ['A connection of 2.0 Mbps, 2,000 women, 20260122'],
];

describe('months and years in a text that are not of its edition', () => {
  for (const [text, ...foreign] of cases)
    test(`${text}: ${foreign.join('; ') || 'none'}`, () =>
      assert.deepEqual(foreignDates(text, may), foreign));

  test('the month in which the edition before it takes place is found in the words that stay', () => {
    const january: EditionMonths = { retreat: ['2028-01', '2028-01'], further: [] };
    assert.deepEqual(foreignDates('let May be about something kinder. Until May,', january), ['May', 'May']);
  });
});
