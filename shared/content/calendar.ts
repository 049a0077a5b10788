import type { Edition } from './edition.ts';
import { describeWayIn } from './way-in.ts';

/** The words of the calendar file. */
export const calendarWords = {
  /** A session's place in a visitor's calendar, such as `The Retreat: Opening session`. */
  summary: ({ facts }: Edition, session: string) => `${facts.title}: ${session}`,
  description: ({ facts, timetable }: Edition, pageUrl: string) =>
    `Live over video conference; every session of the retreat is recorded. ${describeWayIn(timetable)} ${facts.calendar.note}\n${pageUrl}`,
} as const;

/** Where the site serves the retreat as a calendar file. */
export const CALENDAR_PATH = '/retreat.ics';
