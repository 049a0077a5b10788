import type { Timetable } from './edition.ts';

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

/** Texts around the schedule, on every page that shows it. */
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
} as const;
