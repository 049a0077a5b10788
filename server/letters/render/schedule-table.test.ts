import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { composeMessage } from '#server/letters/compose-message.ts';
import { letter, letterContext } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { assertSaid, parseHtml, plainWords } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { describeWayIn } from '#shared/content/schedule.ts';

const { timetable } = edition;
const letterIn = (timeZone: string) => letter('schedule-changed', undefined, { ...wilma, timeZone });
const compose = (timeZone: string) => composeMessage(letterIn(timeZone), letterContext);
const textIn = (timeZone: string) => plainWords(compose(timeZone).text);
const wordsOf = (cell: Element) => plainWords(cell.innerHTML.replaceAll(/<[^>]*>|&nbsp;/g, ' '));

/** The cells of the schedule's rows, in order. */
function cellsIn(timeZone: string): string[][] {
  const table = parseHtml(compose(timeZone)).querySelector('thead')?.closest('table');
  const rows = [...(table?.querySelectorAll('tbody tr') ?? [])];
  return rows.map((row) => [...row.querySelectorAll('td')].map(wordsOf)).filter(({ length }) => length > 0);
}

describe('the schedule in a letter', () => {
  test('R5.3 R9 holds every day and every entry in Pacific Time', () => {
    const text = textIn('America/Los_Angeles');
    for (const { time, note, session } of timetable.days.flatMap(({ entries }) => entries)) {
      const length = session ? ` (about ${session.minutes} minutes)` : '';
      assert.ok(text.includes(plainWords(`- ${time}: ${note}${length}`)), time);
    }
    assert.match(
      text,
      /Thursday, January 22 .*Friday, January 23 \(subject to change\) .*Sunday, January 25 /,
    );
  });

  test('R5.3 R9 shows the hours in the reader’s own zone too, to the minute, with the day where it differs', () => {
    const cells = cellsIn('Europe/Berlin');
    assert.deepEqual(cells[0], ['5:30 pm PT', '2:30 am Fri, Jan 23', 'Opening session about 90 minutes']);
    assert.deepEqual(cells[1]?.slice(0, 2), ['8:30 am PT', '5:30 pm']);
    assert.deepEqual(cells[3]?.slice(0, 2), ['Afternoon', '']);
    assert.deepEqual(cells.at(-1)?.slice(0, 2), ['11:00 am PT', '8:00 pm']);
    assert.match(textIn('Europe/Berlin'), /If the day is different/);
    assert.doesNotMatch(textIn('America/New_York'), /If the day is different/);
    assert.ok(textIn('America/New_York').includes('- 5:30 pm PT (for you 8:30 pm): Opening session'));
    assert.equal(cellsIn('Asia/Kathmandu')[0]?.[1], '7:15 am Fri, Jan 23');
  });

  test('R5.3 R9 shows one clock where both agree, and where hers is not known', () => {
    for (const zone of ['America/Los_Angeles', 'America/Vancouver', '', 'Etc/Unknown', '../etc/localtime']) {
      assert.doesNotMatch(compose(zone).text, /\(for you|your own time/, zone);
      assert.equal(cellsIn(zone)[0]?.length, 2, zone);
    }
  });

  test('R1.6 R5.3 comes with when the test session is, and when the way in comes', () => {
    assertSaid(letterIn(''), [describeWayIn(timetable)]);
    const own = { timeZone: 'Europe/Berlin', hourCycle: '12' } as const;
    assertSaid(letterIn('Europe/Berlin'), [describeWayIn(timetable, own)]);
  });

  test('R5.3 R9 is a table with headings for columns and days', () => {
    const document = parseHtml(compose('Europe/Berlin'));
    const columns = [...document.querySelectorAll('th[scope=col]')].map((cell) => cell.textContent);
    assert.deepEqual(columns, ['Pacific Time', 'Your time: Central European Time', 'Session']);
    assert.equal(document.querySelectorAll('th[scope=rowgroup]').length, timetable.days.length);
  });
});
