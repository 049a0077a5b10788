import { edition, formatMonthAndDay, formatWeekday } from '#shared/content/edition.ts';
import { welcomeMail } from '#shared/content/mails.ts';
import {
  formatLength,
  type ScheduledEntry,
  scheduleDays,
  scheduledSessions,
  withUtcOffset,
} from '#shared/content/schedule.ts';
import { formatTimeZone, isKnownTimeZone, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import type { ScheduleRow, ScheduleTable } from './letter.ts';

const words = welcomeMail.schedule;

/** A reader's time zone, if it is one and its clocks show other hours than the retreat's at any of its sessions. */
export function findOwnZone(timeZone: string): string | null {
  if (!timeZone || !isKnownTimeZone(timeZone)) return null;
  const moments = scheduledSessions.map(({ start }) => new Date(withUtcOffset(start)));
  return zonesAgree(moments, edition.timeZone, timeZone) ? null : timeZone;
}

/** The four days, on the retreat's clock and beside it on the reader's own, where she has another. */
export function scheduleTable(ownZone: string | null): ScheduleTable {
  const own = ownZone === null ? {} : { own: words.ownColumn(formatTimeZone(ownZone)) };
  return {
    columns: { time: edition.timeZoneName, ...own, note: words.session },
    days: scheduleDays.map(({ date, caveat, entries }) => ({
      title: `${formatWeekday(date)}, ${formatMonthAndDay(date)}`,
      ...(caveat && { caveat }),
      rows: entries.map((entry) => scheduleRow(entry, ownZone)),
    })),
  };
}

function scheduleRow({ time, note, session }: ScheduledEntry, ownZone: string | null): ScheduleRow {
  if (!session) return { time, note };
  const length = formatLength(session.minutes);
  if (ownZone === null) return { time, note, length };
  const { clock, day, date } = tellZonedTime(new Date(withUtcOffset(session.start)), ownZone, '12');
  const own = session.start.startsWith(date) ? { clock } : { clock, day };
  return { time, own, note, length };
}
