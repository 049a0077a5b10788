import type { Edition, ScheduledSession } from './edition.ts';
import { describeRecording } from './recordings.ts';
import { describeWayIn } from './way-in.ts';

/** The words of the calendar file. */
export const calendarWords = {
  /** The title of a session's calendar event, such as `The Retreat: Opening session`. */
  summary: ({ facts }: Edition, session: string) => `${facts.title}: ${session}`,
  description: ({ facts, timetable }: Edition, session: ScheduledSession, pageUrl: string) =>
    `Live over video conference. ${describeRecording(session)} ${describeWayIn(timetable)} ${facts.calendar.note}\n${pageUrl}`,
} as const;

/** Where the site serves the retreat as a calendar file. */
export const CALENDAR_PATH = '/retreat.ics';
