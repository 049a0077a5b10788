import type { Edition, ScheduleEntry, Timetable } from '#shared/content/edition.ts';
import { daysDiffer, describeWayIn, formatLength, scheduleWords } from '#shared/content/schedule.ts';
import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone, isKnownTimeZone, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import { type Block, heading, type Passage, type ScheduleRow, type ScheduleTable } from './letter.ts';

/** The whole schedule, in the retreat's time zone and in hers, and how she gets its links. */
export function scheduleBlocks(
  { timeZone, writtenAt }: { timeZone: string; writtenAt?: string },
  edition: Edition,
): Passage[] {
  const { ownZone, zoneNote, table } = scheduleOf(edition)(timeZone);
  const { timetable } = edition;
  const own = ownZone === null ? undefined : ({ timeZone: ownZone, hourCycle: '12' } as const);
  const now = writtenAt === undefined ? undefined : new Date(writtenAt);
  return [
    heading('The schedule'),
    `${zoneNote} ${timetable.intro}`,
    describeWayIn(timetable, own, now),
    table,
  ];
}

const scheduleOf = oncePer((edition: Edition) =>
  oncePer((timeZone: string) => scheduleIn(timeZone, edition.timetable)),
);

/** The days of a timetable for a reader in a time zone, and what is said of the two clocks. */
export function scheduleIn(timeZone: string, timetable: Timetable) {
  const { name, label } = timetable.timeZone;
  const ownZone = findOwnZone(timeZone, timetable);
  const table: Block = { kind: 'schedule', table: scheduleTable(timetable, ownZone) };
  if (ownZone === null) return { ownZone, zoneNote: scheduleWords.zoneNote(timetable), table };
  const otherDays = daysDiffer(timetable, ownZone)
    ? ' If the day is different for you, it is shown with the time.'
    : '';
  const own = formatTimeZone(ownZone);
  const zoneNote = `Times are given in ${name} (${label}) and in your own time, ${own}.${otherDays}`;
  return { ownZone, zoneNote, table };
}

/**
 * A reader's time zone, if it is a known one and its clocks differ from the retreat's at any of its sessions.
 */
function findOwnZone(timeZone: string, timetable: Timetable): string | null {
  if (!timeZone || !isKnownTimeZone(timeZone)) return null;
  const moments = timetable.sessions.map(({ startsAt }) => new Date(startsAt));
  return zonesAgree(moments, timetable.timeZone.id, timeZone) ? null : timeZone;
}

/** The days in the retreat's time zone and, if the reader is in another one, also in hers. */
function scheduleTable({ timeZone, days }: Timetable, ownZone: string | null): ScheduleTable {
  const own = ownZone === null ? {} : { own: `Your time: ${formatTimeZone(ownZone)}` };
  return {
    columns: { time: timeZone.name, ...own, note: 'Session' },
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
