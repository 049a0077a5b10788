import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { tellZonedTime } from '#shared/zoned-time.ts';

const { timeZone } = edition.timetable;

/** The time zone of the retreat, in which the page shows times. */
export const zoneName: string = timeZone.name;

/** `Fri, Jan 23, 1:30 pm`, in the time zone of the retreat. */
export function formatMoment(moment: Date): string {
  const { day, clock } = tellZonedTime(moment, timeZone.id, '12');
  return `${day}, ${clock}`;
}

/** Only the time of day. */
export const formatClock = (moment: Date): string => tellZonedTime(moment, timeZone.id, '12').clock;

/** `40 s`, `12 min`, `3 h 5 min`, `2 days 4 h`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${Math.floor(seconds)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  const days = Math.floor(hours / 24);
  if (days === 0) return `${hours} h ${minutes % 60} min`;
  return `${days} ${days === 1 ? 'day' : 'days'} ${hours % 24} h`;
}
