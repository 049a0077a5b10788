import { describe, test } from 'node:test';
import { letter } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { assertNotSaid, assertSaid } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { describeWayIn } from '#shared/content/schedule.ts';

const { timetable } = edition;
const letterIn = (timeZone: string) => letter('schedule-changed', undefined, { ...wilma, timeZone });

describe('the schedule in a letter', () => {
  test('R1.6 R5.3 R9 has every day and entry in Pacific Time alone, where both clocks agree or hers is not known', () => {
    for (const zone of ['America/Los_Angeles', 'America/Vancouver', '', 'Etc/Unknown', '../etc/localtime']) {
      assertNotSaid(letterIn(zone), /(, |\))for you|Beside them/);
      assertSaid(letterIn(zone), [
        ...['Thursday, January 22', 'Friday, January 23 (subject to change)', 'Sunday, January 25'],
        ...timetable.days.flatMap(({ entries }) => entries.flatMap(({ time, note }) => [time, note])),
        'Opening session (about 90 minutes)',
        describeWayIn(timetable),
      ]);
    }
  });

  test('R5.3 R9 shows the hours in the reader’s own zone too, to the minute, with the day where it differs', () => {
    const own = { timeZone: 'Europe/Berlin', hourCycle: '12' } as const;
    assertSaid(letterIn('Europe/Berlin'), [
      'for you Fri, Jan 23, 2:30 am',
      'for you 8:00 pm',
      'Beside them are your own, in',
      describeWayIn(timetable, own),
    ]);
    assertSaid(letterIn('America/New_York'), ['for you 8:30 pm']);
    assertSaid(letterIn('Asia/Kathmandu'), ['for you Fri, Jan 23, 7:15 am']);
  });
});
