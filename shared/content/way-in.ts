import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { type HourCycle, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import type { ScheduledSession, Timetable } from './edition.ts';
import { formatClockTime, formatLength } from './schedule.ts';

/** A reader's own time zone and clock format, shown in addition to the retreat's. */
export interface OwnClock {
  timeZone: string;
  hourCycle: HourCycle;
}

/**
 * One sentence for page, letter and calendar: when the test session is, and when the links are sent.
 * @param now leaves out what is past by then; absent where the sentence may be read at any later time
 */
export function describeWayIn(
  { testSession, linkDates, letters, timeZone }: Timetable,
  own?: OwnClock,
  now?: Date,
): string {
  const isAhead = (moment = '') => !now || now < new Date(moment);
  const toRetreat = isAhead(letters.wayIn[0]?.at) ? ` on ${longDay(linkDates.retreat)}, and again` : '';
  if (now && now >= new Date(testSession.startsAt))
    return `Your link to the retreat is sent to you${toRetreat} each morning.`;
  const [date = '', time = ''] = testSession.start.split('T');
  const hours = `${formatClockTime(time, timeZone)}${own ? onOwnClock(testSession, timeZone, own) : ''}`;
  const when = `${longDay(date)}, at ${hours}`;
  const toTest = isAhead(letters.testSession) ? ` on ${formatMonthAndDay(linkDates.testSession)}` : '';
  return `The test session is on ${when}, for ${formatLength(testSession.minutes)}; its link is sent to you${toTest}, and your link to the retreat${toRetreat} each morning.`;
}

/** The location of a session, short enough for a calendar event. */
export function placeOf({ id }: ScheduledSession, { testSession, linkDates }: Timetable): string {
  const sentOn = id === testSession.id ? linkDates.testSession : linkDates.retreat;
  return `Online; your link comes by e-mail on ${formatMonthAndDay(sentOn)}`;
}

function longDay(isoDate: string): string {
  return `${formatWeekday(isoDate)}, ${formatMonthAndDay(isoDate)}`;
}

/** When a session begins in her time zone, ` (for you 8:30 pm)`; empty if the local time is the same. */
export function onOwnClock(
  { start, startsAt }: ScheduledSession,
  retreat: Timetable['timeZone'],
  { timeZone, hourCycle }: OwnClock,
): string {
  const moment = new Date(startsAt);
  if (zonesAgree([moment], retreat.id, timeZone)) return '';
  const { clock, day, date } = tellZonedTime(moment, timeZone, hourCycle);
  return ` (for you ${start.startsWith(date) ? '' : `${day}, `}${clock})`;
}
