import { formatDate, formatWeekday } from '#shared/dates.ts';
import { isKnownTimeZone, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import type { Timetable } from './edition.ts';

/** A moment to the second, in the retreat's time zone and in UTC, for use as evidence. */
export function tellMomentToSecond(at: Date, { timeZone }: Pick<Timetable, 'timeZone'>): string {
  const utc = `${at.toISOString().slice(0, 19)}Z`;
  const { date, clock } = tellZonedTime(at, timeZone.id, '24');
  // Today all UTC offsets are whole minutes, so the seconds are the same in every time zone.
  return `${formatWeekday(date)}, ${formatDate(date)}, at ${clock}${utc.slice(16, 19)} ${timeZone.name} (${utc})`;
}

/**
 * A moment to the minute, in the retreat's time zone and, if the hour differs, in her own: `Sunday, December
 * 21, 2025, at 5:00 pm Pacific Time (for you Mon, Dec 22, 2:00 am)`.
 * @param ownZone may be empty or unknown
 */
export function tellMoment(at: Date, { timeZone }: Pick<Timetable, 'timeZone'>, ownZone = ''): string {
  const { date, clock } = tellZonedTime(at, timeZone.id, '12');
  const told = `${formatWeekday(date)}, ${formatDate(date)}, at ${clock} ${timeZone.name}`;
  if (!ownZone || !isKnownTimeZone(ownZone) || zonesAgree([at], timeZone.id, ownZone)) return told;
  const own = tellZonedTime(at, ownZone, '12');
  return `${told} (for you ${own.date === date ? '' : `${own.day}, `}${own.clock})`;
}
