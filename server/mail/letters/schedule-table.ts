import type { ScheduleEntry, Timetable } from '#shared/content/edition.ts';
import type { welcomeMail } from '#shared/content/mails.ts';
import { formatLength } from '#shared/content/schedule.ts';
import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { formatTimeZone, isKnownTimeZone, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import type { ScheduleRow, ScheduleTable } from './letter.ts';

type ScheduleWords = ReturnType<typeof welcomeMail>['schedule'];

/**
 * A reader's time zone, if it is a known one and its clocks differ from the retreat's at any of its sessions.
 */
export function findOwnZone(timeZone: string, timetable: Timetable): string | null {
  if (!timeZone || !isKnownTimeZone(timeZone)) return null;
  const moments = timetable.sessions.map(({ startsAt }) => new Date(startsAt));
  return zonesAgree(moments, timetable.timeZone.id, timeZone) ? null : timeZone;
}

/** The days in the retreat's time zone and, if the reader is in another one, also in hers. */
export function scheduleTable(
  { timeZone, days }: Timetable,
  ownZone: string | null,
  words: ScheduleWords,
): ScheduleTable {
  const own = ownZone === null ? {} : { own: words.ownColumn(formatTimeZone(ownZone)) };
  return {
    columns: { time: timeZone.name, ...own, note: words.session },
    days: days.map(({ date, caveat, entries }) => ({
      title: `${formatWeekday(date)}, ${formatMonthAndDay(date)}`,
      ...(caveat && { caveat }),
      rows: entries.map((entry) => scheduleRow(entry, ownZone)),
    })),
  };
}

function scheduleRow({ time, note, session }: ScheduleEntry, ownZone: string | null): ScheduleRow {
  if (!session) return { time, note };
  const length = formatLength(session.minutes);
  if (ownZone === null) return { time, note, length };
  const { clock, day, date } = tellZonedTime(new Date(session.startsAt), ownZone, '12');
  const own = session.start.startsWith(date) ? { clock } : { clock, day };
  return { time, own, note, length };
}
