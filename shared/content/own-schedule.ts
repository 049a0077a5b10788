import { type HourCycle, tellZonedTime } from '#shared/zoned-time.ts';
import type { ScheduleDay, ScheduleEntry, Timetable } from './edition.ts';
import { scheduleWords } from './schedule.ts';

/** A day of the schedule in a reader's own time zone. */
export interface OwnDay extends ScheduleDay {
  entries: readonly OwnEntry[];
}

export interface OwnEntry extends ScheduleEntry {
  /** A caveat for this entry only. */
  caveat?: string;
}

/**
 * The schedule in a time zone, grouped by the days that the sessions have there. A break has no set hour, so
 * it stays after the session before it; the time of day that it has in the retreat's zone is not told.
 * @throws {RangeError} for a time zone that `Intl` does not know
 */
export function scheduleByOwnDays(
  timetable: Timetable,
  timeZone: string,
  hourCycle: HourCycle,
): readonly OwnDay[] {
  const days = new Map<string, OwnEntry[]>();
  let ownDate = timetable.days[0]?.date ?? '';
  for (const { caveat, entries } of timetable.days) {
    for (const entry of entries) {
      let time: string = scheduleWords.inBetween;
      if (entry.session) {
        const own = tellZonedTime(new Date(entry.session.startsAt), timeZone, hourCycle);
        ownDate = own.date;
        time = own.clock;
      }
      days.set(ownDate, [...(days.get(ownDate) ?? []), { ...entry, time, ...(caveat && { caveat }) }]);
    }
  }
  return [...days].map(([date, entries]) => ({ date, ...shareCaveat(entries) }));
}

/** Days in a row that have the same entries. */
export interface JoinedDays extends Omit<OwnDay, 'date'> {
  /** ISO dates. */
  dates: readonly string[];
}

/** Neighbouring days with the same hours, words and caveats as one; its entries are those of the first date. */
export function joinEqualDays(days: readonly OwnDay[]): readonly JoinedDays[] {
  const joined: JoinedDays[] = [];
  for (const { date, ...day } of days) {
    const last = joined.at(-1);
    if (last && wordsOf(last) === wordsOf(day))
      joined.splice(-1, 1, { ...last, dates: [...last.dates, date] });
    else joined.push({ ...day, dates: [date] });
  }
  return joined;
}

const wordsOf = ({ caveat, entries }: Omit<OwnDay, 'date'>): string =>
  JSON.stringify([
    caveat,
    entries.map(({ time, note, session, caveat }) => [time, note, session?.minutes, caveat]),
  ]);

/** Whether any session falls on another day in the given time zone than in the retreat's. */
export function daysDiffer({ sessions }: Timetable, timeZone: string): boolean {
  return sessions.some(
    ({ start, startsAt }) => !start.startsWith(tellZonedTime(new Date(startsAt), timeZone, '24').date),
  );
}

/** Moves a caveat that all entries of a day share to the day. */
function shareCaveat(entries: readonly OwnEntry[]): Omit<OwnDay, 'date'> {
  const [first] = entries;
  if (!first?.caveat || entries.some(({ caveat }) => caveat !== first.caveat)) return { entries };
  return { caveat: first.caveat, entries: entries.map(({ caveat: _, ...entry }) => entry) };
}
