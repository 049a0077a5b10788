import { type HourCycle, tellZonedTime } from '#shared/zoned-time.ts';
import type { ScheduleEntry, Timetable } from './edition.ts';

/** A day of the schedule as a reader's own calendar has it. */
export interface OwnDay {
  /** ISO date. */
  date: string;
  /** What holds for the whole day. */
  caveat?: string;
  entries: readonly OwnEntry[];
}

export interface OwnEntry extends ScheduleEntry {
  /** What holds for this entry and not for the whole day. */
  caveat?: string;
}

/**
 * The schedule on the clocks of a time zone, by the days that it has there. A break, which has no set hour, follows the
 * session before it.
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
      let time = `${entry.time}\u00a0${timetable.timeZone.label}`;
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

/** Whether a session falls on another day in a time zone than at the retreat's. */
export function daysDiffer({ sessions }: Timetable, timeZone: string): boolean {
  return sessions.some(
    ({ start, startsAt }) => !start.startsWith(tellZonedTime(new Date(startsAt), timeZone, '24').date),
  );
}

/** A caveat that all entries of a day have is the day's. */
function shareCaveat(entries: readonly OwnEntry[]): Omit<OwnDay, 'date'> {
  const [first] = entries;
  if (!first?.caveat || entries.some(({ caveat }) => caveat !== first.caveat)) return { entries };
  return { caveat: first.caveat, entries: entries.map(({ caveat: _, ...entry }) => entry) };
}
