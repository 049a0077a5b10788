import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { stateOf } from '#server/registration/registration.ts';
import { askingEdition, testQuestions } from '#server/testing/test-editions.ts';
import { balance, recordWith } from '#server/testing/test-registrations.ts';
import { listedOf } from '#server/worker/registration-index.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import type { ListedRow } from './find-listed.ts';
import { registrationsCsv } from './hand-on.tsx';

const NOW = new Date('2025-12-29T12:00:00-08:00');
type Registrant = ReturnType<typeof recordWith>['registrant'];
const csvOfOne = (record: ReturnType<typeof recordWith>, answers: ListedRow['answers'] = []) => {
  const row: ListedRow = {
    ...listedOf(record, NOW),
    ...record.registrant,
    registration: record.id,
    state: stateOf(record, NOW),
    groups: [],
    needs: [],
    namesBefore: '',
    answers,
  };
  return registrationsCsv(answers.length === 0 ? edition : askingEdition, [row]);
};
const csvWith = (registrant: Partial<Registrant>): string => {
  const known = recordWith().registrant;
  const paid = balance({ status: 'paid', paidAt: new Date('2025-12-21T17:00:00-08:00') });
  return csvOfOne(recordWith({ registrant: { ...known, ...registrant }, balances: [paid] }));
};
/** The cells as a program reads them that knows nothing of this site. */
const cellsOf = (csv: string): Record<string, string> => {
  const rows = parse(csv, { bom: true, columns: true, record_delimiter: '\r\n' }) as Record<string, string>[];
  return rows[0] ?? assert.fail();
};

describe('the list for a spreadsheet', () => {
  test('tells sums in plain dollars, and moments on the retreat’s clock', () => {
    const cells = cellsOf(csvWith({}));
    assert.equal(cells['Came in (USD)'], '1447.25');
    assert.equal(cells['Still to pay (USD)'], '0.00');
    assert.equal(cells['Balance paid (Pacific Time)'], '2025-12-21 17:00');
    assert.equal(cells['Stands at'], 'Paid in full');
    assert.equal(cells.Registration, 'reg_1');
  });

  test('keeps phone numbers whole, with their plus and their zeros', () => {
    for (const phoneNumber of ['+1 (310) 555-0142', '01705550142', '+491705550142000'])
      assert.equal(cellsOf(csvWith({ phoneNumber })).Phone, `tel:${phoneNumber}`);
    assert.equal(cellsOf(csvWith({ phoneNumber: '' })).Phone, '');
  });

  test('holds whatever was typed, in one line, and no cell begins like a formula', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n",;\'| \u200bA1'), maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.tuple(anyText, anyText, anyText, anyText), (texts) => {
        const [firstName, lastName, email, phoneNumber] = texts;
        const csv = csvWith({ firstName, lastName, email, phoneNumber });
        assert.ok(csv.startsWith('\uFEFF"First name","Last name","E-mail","Phone",'));
        const lines = csv.slice(1).split('\r\n');
        assert.deepEqual([lines.length, lines.at(-1)], [3, '']);
        // Whichever separator a program expects.
        for (const line of lines) assert.match(line, /^(?:"(?:[^"\n]|"")*"(?:,|$))*$/);
        const cells = cellsOf(csv);
        for (const cell of Object.values(cells)) assert.doesNotMatch(cell, /^[\s\p{C}]*[=+\-@＝＋－＠]/u);
        const visible = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
        assert.ok([visible(firstName), `'${visible(firstName)}`].includes(cells['First name'] ?? ''));
        assert.ok([visible(email), `'${visible(email)}`].includes(cells['E-mail'] ?? ''));
      }),
    );
  });

  test('has a column for each question, and one for answers to others', () => {
    const { name, song } = testQuestions;
    const given = (question: string, asked: string, answer: string) => ({ question, asked, answer, at: NOW });
    const answers = [
      given(name.id, name.text, '=Wil\nma'),
      given(song.id, song.text, 'The old one'),
      given('room', 'Which room?', 'The blue one'),
      given('seat', 'Which seat?', 'Any'),
    ];
    const cells = cellsOf(csvOfOne(recordWith(), answers));
    assert.deepEqual(Object.entries(cells).slice(-5), [
      ['Registration', 'reg_1'],
      [name.text, "'=Wil ma"],
      ['With whom will you eat?', ''],
      [song.text, 'The old one'],
      ['Other answers', 'Which room? The blue one; Which seat? Any'],
    ]);
  });
});
