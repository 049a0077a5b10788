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
  /** About how long it takes. */
  minutes: number;
  /** By `minutes`, so approximate. */
  end: string;
}

export interface ScheduleDay {
  /** ISO date. */
  date: string;
  caveat?: string;
  entries: readonly ScheduledEntry[];
}

const SUBJECT_TO_CHANGE = 'Subject to change';

/** `17:30` -> `5:30 pm PT`, kept on one line. */
export function formatClockTime(clockTime: string): string {
  const [hours = '', minutes = ''] = clockTime.split(':');
  const hour = Number(hours);
  return `${hour % 12 || 12}:${minutes}\u00a0${hour < 12 ? 'am' : 'pm'}\u00a0${edition.timeZoneLabel}`;
}

function addMinutes(localTime: string, minutes: number): string {
  const milliseconds = Date.parse(`${localTime}Z`) + minutes * 60_000;
  return new Date(milliseconds).toISOString().slice(0, 16);
}

/** `75` -> `about 75 minutes`, the number and its unit on one line. */
export function formatLength(minutes: number): string {
  return `about ${minutes}\u00a0minutes`;
}

interface PlannedSession {
  /** ISO date. */
  date: string;
  /** On a clock of 24 hours, at the retreat's time zone. */
  time: string;
  minutes: number;
  /** Tells it from the other sessions of its day. */
  name: string;
  title: string;
}

/** A session with its id and its end. */
export function sessionAt({ date, time, minutes, name, title }: PlannedSession): ScheduledSession {
  const start = `${date}T${time}`;
  const id = `${formatWeekday(date).toLowerCase()}-${name}`;
  return { id, title, start, minutes, end: addMinutes(start, minutes) };
}

function entryAt(date: string, time: string, minutes: number, name: string, note: string): ScheduledEntry {
  const session = sessionAt({ date, time, minutes, name, title: note });
  return { time: formatClockTime(time), note, session };
}

function fullDay(date: string): ScheduleDay {
  return {
    date,
    caveat: SUBJECT_TO_CHANGE,
    entries: [
      entryAt(date, '08:30', 75, 'movement', 'Movement and meditation'),
      entryAt(date, '10:30', 60, 'meal', 'Eating together'),
      { time: 'Afternoon', note: 'Breaks, with activities announced daily' },
      entryAt(date, '15:00', 90, 'groups', 'Group sessions'),
      entryAt(date, '17:30', 90, 'evening', 'Evening session'),
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
  const days = otherDays ? ' The sessions are listed by your own days.' : '';
  return `Shown in ${zoneName}.${days}`;
}

export const scheduleDays: readonly ScheduleDay[] = [
  { date: '2026-01-22', entries: [entryAt('2026-01-22', '17:30', 90, 'opening', 'Opening session')] },
  fullDay('2026-01-23'),
  fullDay('2026-01-24'),
  {
    date: '2026-01-25',
    entries: [
      entryAt('2026-01-25', '08:30', 75, 'movement', 'Movement and meditation'),
      entryAt('2026-01-25', '11:00', 90, 'closing', 'Closing session'),
    ],
  },
];

/** Every session of the retreat, in order. */
export const scheduledSessions: readonly ScheduledSession[] = scheduleDays.flatMap((day) =>
  day.entries.flatMap(({ session }) => session ?? []),
);
