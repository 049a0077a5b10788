import { edition, formatWeekday } from './edition.ts';
import type { ScheduleEntry } from './entities.ts';

export interface ScheduledEntry extends ScheduleEntry {
  /** Absent for breaks, which have no set hour. */
  session?: ScheduledSession;
}

/** A session with its hours: ISO local date and time at the retreat's time zone. */
export interface ScheduledSession {
  /** Unique within an edition. It outlives a change of hour or wording, so calendars recognise the session. */
  id: string;
  title: string;
  start: string;
  /** Assumed, see `ASSUMED_SESSION_MINUTES`. */
  end: string;
}

export interface ScheduleDay {
  /** ISO date. */
  date: string;
  caveat?: string;
  entries: readonly ScheduledEntry[];
}

const SUBJECT_TO_CHANGE = 'Subject to change';

/**
 * The programme gives starts only. A calendar needs ends, so a session is taken to last this long, which leaves time
 * before the next one. The page never shows an end, and the calendar says that it is assumed.
 */
export const ASSUMED_SESSION_MINUTES = 90;

/** `17:30` -> `5:30 pm PT`, kept on one line. */
function formatClockTime(clockTime: string): string {
  const [hours = '', minutes = ''] = clockTime.split(':');
  const hour = Number(hours);
  return `${hour % 12 || 12}:${minutes}\u00a0${hour < 12 ? 'am' : 'pm'}\u00a0${edition.timeZoneLabel}`;
}

function addMinutes(localTime: string, minutes: number): string {
  const milliseconds = Date.parse(`${localTime}Z`) + minutes * 60_000;
  return new Date(milliseconds).toISOString().slice(0, 16);
}

function sessionAt(date: string, clockTime: string, name: string, note: string): ScheduledEntry {
  const start = `${date}T${clockTime}`;
  const session = {
    id: `${formatWeekday(date).toLowerCase()}-${name}`,
    title: note,
    start,
    end: addMinutes(start, ASSUMED_SESSION_MINUTES),
  };
  return { time: formatClockTime(clockTime), note, session };
}

function fullDay(date: string): ScheduleDay {
  return {
    date,
    caveat: SUBJECT_TO_CHANGE,
    entries: [
      sessionAt(date, '08:30', 'movement', 'Movement and meditation'),
      sessionAt(date, '10:30', 'meal', 'Eating together'),
      { time: 'Afternoon', note: 'Breaks, with activities announced daily' },
      sessionAt(date, '15:00', 'groups', 'Group sessions'),
      sessionAt(date, '17:30', 'evening', 'Evening session'),
    ],
  };
}

/** A local time with its distance from UTC, as `<time dateTime>` and search engines need it. */
export function withUtcOffset(localTime: string): string {
  return `${localTime}${edition.utcOffset}`;
}

export const scheduleIntro = {
  title: 'Four days, hour by hour',
  intro:
    'If an hour falls in the middle of your night, or in the middle of life, the recording will wait for you.',
  zoneNote: `All times are ${edition.timeZoneName} (${edition.timeZoneLabel}).`,
  zoneChoice: 'Time zone of the schedule',
  ownZone: 'Your time',
  unknownZoneNote: `Your browser does not tell its time zone, so all times are still ${edition.timeZoneName}.`,
  addToCalendar: 'Add to calendar',
} as const;

/** What the zone note says while the hours are shown in a visitor's own zone, such as `United Kingdom Time`. */
export function ownZoneNote(zoneName: string, otherDays: boolean): string {
  const days = otherDays ? ' Each session stands under the day that it is on for you.' : '';
  return `Shown in ${zoneName}.${days}`;
}

export const scheduleDays: readonly ScheduleDay[] = [
  { date: '2026-01-22', entries: [sessionAt('2026-01-22', '17:30', 'opening', 'Opening session')] },
  fullDay('2026-01-23'),
  fullDay('2026-01-24'),
  {
    date: '2026-01-25',
    entries: [
      sessionAt('2026-01-25', '08:30', 'movement', 'Movement and meditation'),
      sessionAt('2026-01-25', '11:00', 'closing', 'Closing session'),
    ],
  },
];

/** Every session of the retreat, in order. */
export const scheduledSessions: readonly ScheduledSession[] = scheduleDays.flatMap((day) =>
  day.entries.flatMap(({ session }) => session ?? []),
);
