import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { type HourCycle, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import type { ScheduledSession, Timetable } from './edition.ts';
import { formatClockTime, formatLength } from './schedule.ts';

/** Whose clock a moment is told on besides the retreat's. */
export interface OwnClock {
  timeZone: string;
  hourCycle: HourCycle;
}

/**
 * When the test session is, and when the links come: one sentence for page, letter and calendar.
 * @param now what is past by then is left out; absent where the sentence is read at any time
 */
export function describeWayIn(
  { testSession, linkDates, letters, timeZone }: Timetable,
  own?: OwnClock,
  now?: Date,
): string {
  const isAhead = (moment = '') => !now || now < new Date(moment);
  const toRetreat = isAhead(letters.wayIn[0]?.at) ? ` on ${longDay(linkDates.retreat)}, and again` : '';
  if (now && now >= new Date(testSession.startsAt))
    return `Your link to the retreat comes by e-mail${toRetreat} each morning.`;
  const [date = '', time = ''] = testSession.start.split('T');
  const hours = `${formatClockTime(time, timeZone)}${own ? onOwnClock(testSession, timeZone, own) : ''}`;
  const when = `${longDay(date)}, at ${hours}`;
  const toTest = isAhead(letters.testSession) ? ` on ${formatMonthAndDay(linkDates.testSession)}` : '';
  return `The test session is on ${when}, for ${formatLength(testSession.minutes)}; its link comes by e-mail${toTest}, and your link to the retreat${toRetreat} each morning.`;
}

/** Where a session takes place, as a calendar has room for. */
export function placeOf({ id }: ScheduledSession, { testSession, linkDates }: Timetable): string {
  const sentOn = id === testSession.id ? linkDates.testSession : linkDates.retreat;
  return `Online; your link comes by e-mail on ${formatMonthAndDay(sentOn)}`;
}

function longDay(isoDate: string): string {
  return `${formatWeekday(isoDate)}, ${formatMonthAndDay(isoDate)}`;
}

/** When a session begins on her own clock, ` (for you 8:30 pm)`; empty where it shows the same. */
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
