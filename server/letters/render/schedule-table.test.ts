import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letter, letterContext } from '#scripts/world/letters.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { parseHtml, plainWords } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';

const { days, sessions, testSession } = edition.timetable;

const compose = (timeZone: string) => composeMessage({ ...letter('welcome'), timeZone }, letterContext);

/** The cells of the schedule's rows, in order. */
function scheduleCells(timeZone: string): string[][] {
  const table = parseHtml(compose(timeZone)).querySelector('thead')?.closest('table');
  const rows = [...(table?.querySelectorAll('tbody tr') ?? [])];
  return rows.map((row) => [...row.querySelectorAll('td')].map(wordsOf)).filter(({ length }) => length > 0);
}

const wordsOf = (cell: Element) => plainWords(cell.innerHTML.replaceAll(/<[^>]*>|&nbsp;/g, ' '));

describe('the schedule in the welcome', () => {
  test('R5.3 R9 holds every day and every entry in Pacific Time', () => {
    const { text } = compose('America/Los_Angeles');
    const words = plainWords(text);
    for (const { time, note, session } of days.flatMap(({ entries }) => entries)) {
      const length = session ? ` (about ${session.minutes} minutes)` : '';
      assert.ok(words.includes(plainWords(`- ${time}: ${note}${length}`)), time);
    }
    for (const day of [
      'Thursday, January 22',
      'Friday, January 23 (subject to change)',
      'Sunday, January 25',
    ]) {
      assert.ok(words.includes(day), day);
    }
    assert.deepEqual(scheduleCells('America/Los_Angeles')[0], [
      '5:30 pm PT',
      'Opening session about 90 minutes',
    ]);
  });

  test('R5.3 R9 also shows the hours in the reader’s own zone, with the day where it differs', () => {
    const cells = scheduleCells('Europe/Berlin');
    assert.deepEqual(cells[0], ['5:30 pm PT', '2:30 am Fri, Jan 23', 'Opening session about 90 minutes']);
    assert.deepEqual(cells[1], ['8:30 am PT', '5:30 pm', 'Movement and meditation about 75 minutes']);
    assert.deepEqual(cells[3], ['Afternoon', '', 'Breaks, with activities announced daily']);
    assert.deepEqual(cells.at(-1), ['11:00 am PT', '8:00 pm', 'Closing session about 90 minutes']);
    const { text } = compose('Europe/Berlin');
    assert.ok(text.includes('- 5:30 pm PT (for you Fri, Jan 23, 2:30 am): Opening session'));
    assert.ok(text.includes('- 8:30 am PT (for you 5:30 pm): Movement and meditation'));
    assert.ok(
      plainWords(text).includes('at 5:30 pm PT (for you Fri, Jan 16, 2:30 am), for about 30 minutes;'),
    );
    assert.equal(text.match(/\(for you /g)?.length, [testSession, ...sessions].length);
  });

  test('R5.3 R9 mentions a different day only where there is one', () => {
    assert.match(
      plainWords(compose('Europe/Berlin').text),
      /If the day is different for you, it is shown with the time/,
    );
    const { text } = compose('America/New_York');
    assert.ok(plainWords(text).includes('in your own time, Eastern Time.'));
    assert.ok(text.includes('- 5:30 pm PT (for you 8:30 pm): Opening session'));
  });

  test('R5.3 R9 shows a zone whose offset is not in whole hours to the minute', () => {
    assert.equal(scheduleCells('Asia/Kathmandu')[0]?.[1], '7:15 am Fri, Jan 23');
  });

  test('R5.3 R9 shows one clock where both agree, and where hers is not known', () => {
    for (const zone of ['America/Los_Angeles', 'America/Vancouver', '', 'Etc/Unknown', '../etc/localtime']) {
      assert.doesNotMatch(compose(zone).text, /\(for you|your own time/, zone);
      assert.equal(scheduleCells(zone)[0]?.length, 2, zone);
    }
  });

  test('R5.3 R9 is a table with headings for columns and days', () => {
    const document = parseHtml(compose('Europe/Berlin'));
    const columns = [...document.querySelectorAll('th[scope=col]')].map((cell) => cell.textContent);
    assert.deepEqual(columns, ['Pacific Time', 'Your time: Central European Time', 'Session']);
    assert.equal(document.querySelectorAll('th[scope=rowgroup]').length, 4);
  });
});
