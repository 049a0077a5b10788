import { type HourCycle, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import { edition, formatMonthAndDay, formatWeekday } from './edition.ts';
import {
  formatClockTime,
  formatLength,
  type ScheduledSession,
  sessionAt,
  withUtcOffset,
} from './schedule.ts';

/** When the letters with the links to the room are sent. ISO dates at the retreat's own time zone. */
export const linkDates = {
  testSession: '2026-01-14',
  /** It comes again each morning of the retreat. */
  retreat: '2026-01-21',
} as const;

/** To try the video service, about a week before the retreat. */
export const testSession: ScheduledSession = sessionAt({
  date: '2026-01-15',
  time: '17:30',
  minutes: 30,
  name: 'test',
  title: 'Test session',
});

/** Whose clock a moment is told on besides the retreat's. */
export interface OwnClock {
  timeZone: string;
  hourCycle: HourCycle;
}

/** When the test session is, and when the links come: one sentence for page, letter and calendar. */
export function describeWayIn(own?: OwnClock): string {
  const [date = '', time = ''] = testSession.start.split('T');
  const when = `${longDay(date)}, at ${formatClockTime(time)}${own ? onOwnClock(testSession, own) : ''}`;
  return `The test session is on ${when}, for ${formatLength(testSession.minutes)}; its link comes by e-mail on ${formatMonthAndDay(linkDates.testSession)}, and your link to the retreat on ${longDay(linkDates.retreat)}, and again each morning.`;
}

/** Where a session takes place, as a calendar has room for. */
export function placeOf({ id }: ScheduledSession): string {
  const sentOn = id === testSession.id ? linkDates.testSession : linkDates.retreat;
  return `Online; your link comes by e-mail on ${formatMonthAndDay(sentOn)}`;
}

function longDay(isoDate: string): string {
  return `${formatWeekday(isoDate)}, ${formatMonthAndDay(isoDate)}`;
}

/** When a session begins on her own clock, ` (for you 8:30 pm)`; empty where it shows the same. */
export function onOwnClock({ start }: ScheduledSession, { timeZone, hourCycle }: OwnClock): string {
  const moment = new Date(withUtcOffset(start));
  if (zonesAgree([moment], edition.timeZone, timeZone)) return '';
  const { clock, day, date } = tellZonedTime(moment, timeZone, hourCycle);
  return ` (for you ${start.startsWith(date) ? '' : `${day}, `}${clock})`;
}
