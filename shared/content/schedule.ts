import { edition } from './edition.ts';
import type { ScheduleEntry } from './entities.ts';

export interface ScheduledEntry extends ScheduleEntry {
  /** When it begins: ISO local date and time at the retreat's time zone. Breaks have no set hour. */
  start?: string;
}

export interface ScheduleDay {
  /** ISO date. */
  date: string;
  caveat?: string;
  entries: readonly ScheduledEntry[];
}

const SUBJECT_TO_CHANGE = 'Subject to change';

/** `17:30` -> `5:30 pm PT`, kept on one line. */
function formatClockTime(clockTime: string): string {
  const [hours = '', minutes = ''] = clockTime.split(':');
  const hour = Number(hours);
  return `${hour % 12 || 12}:${minutes}\u00a0${hour < 12 ? 'am' : 'pm'}\u00a0${edition.timeZoneLabel}`;
}

function sessionAt(date: string, clockTime: string, note: string): ScheduledEntry {
  return { time: formatClockTime(clockTime), note, start: `${date}T${clockTime}` };
}

function fullDay(date: string): ScheduleDay {
  return {
    date,
    caveat: SUBJECT_TO_CHANGE,
    entries: [
      sessionAt(date, '08:30', 'Movement and meditation'),
      sessionAt(date, '10:30', 'Eating together'),
      { time: 'Afternoon', note: 'Breaks, with activities announced daily' },
      sessionAt(date, '15:00', 'Group sessions'),
      sessionAt(date, '17:30', 'Evening session'),
    ],
  };
}

/** A start with its distance from UTC, as `<time dateTime>` and calendars need it. */
export function withUtcOffset(start: string): string {
  return `${start}${edition.utcOffset}`;
}

export const scheduleIntro = {
  title: 'Four days, hour by hour',
  intro: `All times are ${edition.timeZoneName} (${edition.timeZoneLabel}). If an hour falls in the middle of your night, or your toddler’s nap ends early, the recording will wait for you.`,
} as const;

export const scheduleDays: readonly ScheduleDay[] = [
  { date: '2026-01-22', entries: [sessionAt('2026-01-22', '17:30', 'Opening session')] },
  fullDay('2026-01-23'),
  fullDay('2026-01-24'),
  {
    date: '2026-01-25',
    entries: [
      sessionAt('2026-01-25', '08:30', 'Movement and meditation'),
      sessionAt('2026-01-25', '11:00', 'Closing session'),
    ],
  },
];
