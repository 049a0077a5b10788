import { edition } from './edition.ts';
import { describeWayIn } from './way-in.ts';

/** The words and the version of the calendar file. */
export const calendarContent = {
  fileName: 'the-doorway-retreat.ics',
  /**
   * When the schedule changes, count `revision` up and set `revisedAt` to that moment, in UTC: calendars then replace
   * the sessions they hold.
   */
  revision: 1,
  revisedAt: '2025-10-15T00:00:00Z',
  /** A session's place in a visitor's calendar, such as `The Doorway Retreat: Opening session`. */
  summary: (session: string) => `${edition.title}: ${session}`,
  description: (pageUrl: string) =>
    `Live over video conference; every session of the retreat is recorded. ${describeWayIn()} End times are approximate, and hours on Friday and Saturday may change.\n${pageUrl}`,
} as const;

/** Where the site serves the retreat as a calendar file. */
export const CALENDAR_PATH = '/retreat.ics';
