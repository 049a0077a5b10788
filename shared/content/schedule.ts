import { formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { type HourCycle, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import type { Edition, ScheduleDay, ScheduledSession, ScheduleEntry, Timetable } from './edition.ts';

/** `17:30` -> `5:30 pm PT`, kept on one line. */
export function formatClockTime(clockTime: string, { label }: { label: string }): string {
  const [hours = '', minutes = ''] = clockTime.split(':');
  const hour = Number(hours);
  return `${hour % 12 || 12}:${minutes}\u00a0${hour < 12 ? 'am' : 'pm'}\u00a0${label}`;
}

/** `75` -> `about 75 minutes`, the number and its unit on one line. */
export function formatLength(minutes: number): string {
  return `about ${minutes}\u00a0minutes`;
}

export const scheduleWords = {
  zoneNote: ({ timeZone }: Timetable) => `All times are ${timeZone.name} (${timeZone.label}).`,
  zoneChoice: 'Time zone of the schedule',
  ownZone: 'Your time',
  unknownZoneNote: ({ timeZone }: Timetable) =>
    `Your browser does not tell its time zone, so all times are still ${timeZone.name}.`,
  /** Shown while the hours are in a visitor's own time zone, such as `United Kingdom Time`. */
  ownZoneNote: (zoneName: string, otherDays: boolean) =>
    `Shown in ${zoneName}.${otherDays ? ' The sessions are listed by your own days.' : ''}`,
  /** In place of `Afternoon` in another zone, where it may be night. */
  inBetween: 'Then',
  addToCalendar: 'Add to calendar',
  today: 'Today',
} as const;

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
  const when = describeStart(testSession, timeZone, own);
  const toTest = isAhead(letters.testSession) ? ` on ${formatMonthAndDay(linkDates.testSession)}` : '';
  return `The test session is on ${when}, for ${formatLength(testSession.minutes)}; its link is sent to you${toTest}, and your link to the retreat${toRetreat} each morning.`;
}

type Start = Pick<ScheduledSession, 'start' | 'startsAt'>;

/** The day and hour of a session: `…, at 8:30 am PT (for you 5:30 pm)`. */
export function describeStart(session: Start, retreat: Timetable['timeZone'], own?: OwnClock): string {
  return `${longDay(session.start.slice(0, 10))}, at ${describeHour(session, retreat, own)}`;
}

export function describeHour(session: Start, retreat: Timetable['timeZone'], own?: OwnClock): string {
  const hour = formatClockTime(session.start.slice(11, 16), retreat);
  return `${hour}${own ? onOwnClock(session, retreat, own) : ''}`;
}

export function placeOf({ id }: ScheduledSession, { testSession, linkDates }: Timetable): string {
  const sentOn = id === testSession.id ? linkDates.testSession : linkDates.retreat;
  return `Online; your link comes by e-mail on ${formatMonthAndDay(sentOn)}`;
}

export function longDay(isoDate: string): string {
  return `${formatWeekday(isoDate)}, ${formatMonthAndDay(isoDate)}`;
}

/** When a session begins in her time zone, ` (for you 8:30 pm)`; empty if the local time is the same. */
export function onOwnClock(
  { start, startsAt }: Start,
  retreat: Timetable['timeZone'],
  { timeZone, hourCycle }: OwnClock,
): string {
  const moment = new Date(startsAt);
  if (zonesAgree([moment], retreat.id, timeZone)) return '';
  const { clock, day, date } = tellZonedTime(moment, timeZone, hourCycle);
  return ` (for you ${start.startsWith(date) ? '' : `${day}, `}${clock})`;
}

type Recorded = Pick<ScheduledSession, 'recorded'>;

/** What is recorded of the given sessions, taken together: `audio and video`; undefined if nothing is. */
export function recordedOf(sessions: readonly Recorded[]): 'audio and video' | 'audio' | undefined {
  if (sessions.some(({ recorded }) => recorded === 'video')) return 'audio and video';
  return sessions.some(({ recorded }) => recorded) ? 'audio' : undefined;
}

function describeRecording(session: Recorded): string {
  const recorded = recordedOf([session]);
  return recorded ? `This session is recorded, ${recorded}.` : 'This session is not recorded.';
}

/** The recorded sessions of each day: `Opening session (video)`. Days without recordings are left out. */
export function recordedDays({ days }: Timetable): { title: string; text: string }[] {
  return days.flatMap(({ date, entries }) => {
    const sessions = entries.flatMap(({ note, session }) =>
      session?.recorded ? [`${note} (${session.recorded})`] : [],
    );
    const title = `${formatWeekday(date)}, ${formatMonthAndDay(date)}`;
    return sessions.length > 0 ? [{ title, text: sessions.join(', ') }] : [];
  });
}

export const calendarWords = {
  summary: ({ facts }: Edition, session: string) => `${facts.title}: ${session}`,
  description: ({ facts, timetable }: Edition, session: ScheduledSession, pageUrl: string) =>
    `Live over video conference. ${describeRecording(session)} ${describeWayIn(timetable)} ${facts.calendar.note}\n${pageUrl}`,
} as const;

export const CALENDAR_PATH = '/retreat.ics';

export interface OwnDay extends ScheduleDay {
  entries: readonly OwnEntry[];
}

interface OwnEntry extends ScheduleEntry {
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

interface JoinedDays extends Omit<OwnDay, 'date'> {
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

export function daysDiffer({ sessions }: Timetable, timeZone: string): boolean {
  return sessions.some(
    ({ start, startsAt }) => !start.startsWith(tellZonedTime(new Date(startsAt), timeZone, '24').date),
  );
}

function shareCaveat(entries: readonly OwnEntry[]): Omit<OwnDay, 'date'> {
  const [first] = entries;
  if (!first?.caveat || entries.some(({ caveat }) => caveat !== first.caveat)) return { entries };
  return { caveat: first.caveat, entries: entries.map(({ caveat: _, ...entry }) => entry) };
}

type RetreatNow =
  | { kind: 'quiet' }
  | {
      kind: 'test-session' | 'retreat';
      on: ScheduledSession | undefined;
      next: ScheduledSession | undefined;
    }
  /** From the end of the last session on. */
  | { kind: 'recordings-to-come'; at: Date };

export function retreatNow({ timetable }: Pick<Edition, 'timetable'>, now: Date): RetreatNow {
  const { letters, sessions, testSession } = timetable;
  const isPast = (moment: string | undefined) => moment !== undefined && new Date(moment) <= now;
  const among = (all: readonly ScheduledSession[]) => ({
    on: all.find(({ startsAt, endsAt }) => isPast(startsAt) && !isPast(endsAt)),
    next: all.find(({ startsAt }) => !isPast(startsAt)),
  });
  if (isPast(sessions.at(-1)?.endsAt))
    return letters.recordings ? { kind: 'recordings-to-come', at: new Date(letters.recordings) } : QUIET;
  if (isPast(letters.wayIn[0]?.at)) return { kind: 'retreat', ...among(sessions) };
  const isTest = isPast(letters.testSession) && !isPast(testSession.endsAt);
  return isTest ? { kind: 'test-session', ...among([testSession]) } : QUIET;
}

const QUIET: RetreatNow = { kind: 'quiet' };
