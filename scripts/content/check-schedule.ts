import { formatWeekday } from '#shared/dates.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';

type Report = (...found: Parameters<EditionFolder['problem']>) => void;

/**
 * Finds impossible days and sessions, and letters with the way in that are sent after a session has begun.
 */
export function checkSchedule({ written, problem }: EditionFolder): ContentProblem[] {
  const problems: ContentProblem[] = [];
  const report: Report = (...found) => problems.push(problem(...found));
  checkDays(written, report);
  checkWayIn(written, report);
  return problems;
}

function checkDays({ edition, schedule }: Written, report: Report): void {
  const { first, last } = edition.dates;
  const ids = new Set([`${formatWeekday(edition.wayIn.testSession.date)} test`]);
  schedule.days.forEach(({ date, entries }, day) => {
    const before = schedule.days[day - 1]?.date;
    if (date < first || date > last) {
      report(
        'schedule',
        ['days', day, 'date'],
        `this day lies outside the retreat, ${first} to ${last}: correct it, or dates in edition.yaml`,
      );
    }
    if (before !== undefined && date <= before) {
      report('schedule', ['days', day, 'date'], `this day comes after ${before}: write the days in order`);
    }
    let end = '';
    entries.forEach((entry, index) => {
      if (!('minutes' in entry)) return;
      const field = ['days', day, 'entries', index];
      if (entry.time < end)
        report(
          'schedule',
          field,
          `it begins at ${entry.time}, before the one above it ends at ${end}: change time or minutes`,
        );
      // Calendars identify a session by weekday and name.
      const id = `${formatWeekday(date)} ${entry.name}`;
      if (ids.has(id)) {
        report(
          'schedule',
          field,
          `there is another session with the name ${entry.name} on a ${formatWeekday(date)}: change one`,
        );
      }
      ids.add(id);
      end = endOf(entry);
      if (end > '24:00') report('schedule', field, 'it ends after midnight, outside its day: shorten it');
    });
  });
  for (const [name, date, place] of [
    ['first', first, schedule.days.at(0)?.date],
    ['last', last, schedule.days.at(-1)?.date],
  ] as const) {
    if (date !== place) {
      report('edition', ['dates', name], `the ${name} day in schedule.yaml is ${place}: the two must agree`);
    }
  }
}

/** Finds a session that begins before the letter with its link is sent. */
function checkWayIn({ edition, schedule }: Written, report: Report): void {
  const { sentAt, testSession, testLinkSent } = edition.wayIn;
  const announced = schedule.days.flatMap(({ date, entries }) =>
    entries.filter((entry) => 'minutes' in entry).map(({ time }) => ({ date, time })),
  );
  if (testLinkSent === testSession.date) announced.unshift(testSession);
  const missed = announced.find(({ time }) => time < sentAt);
  if (!missed) return;
  const says = `the letter with the way in goes out at ${sentAt}, after the session at ${missed.time} on ${missed.date}: write an earlier hour`;
  report('edition', ['wayIn', 'sentAt'], says);
}

function endOf({ time, minutes }: { time: string; minutes: number }): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const all = hour * 60 + minute + minutes;
  return `${String(Math.floor(all / 60)).padStart(2, '0')}:${String(all % 60).padStart(2, '0')}`;
}
