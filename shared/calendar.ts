/** Where the site serves the retreat as a calendar file. */
export const CALENDAR_PATH = '/retreat.ics';
