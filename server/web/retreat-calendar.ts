import type { IRouter } from 'express';
import ical, { ICalCalendarMethod } from 'ical-generator';
import { tzlib_get_ical_block } from 'timezones-ical-library';
import type { Edition, ScheduledSession } from '#shared/content/edition.ts';
import { CALENDAR_PATH, calendarWords, placeOf } from '#shared/content/schedule.ts';
import { keptForAnHour } from './cache-policy.ts';
import { entityTag } from './representation.ts';

/**
 * An edition as a calendar file, iCalendar (RFC 5545) in UTF-8: one event per session, the test session first. The same
 * schedule and address always produce the same bytes.
 */
export function createRetreatCalendar(edition: Edition, pageUrl: string) {
  const { facts, timetable } = edition;
  const calendar = ical({
    prodId: { company: facts.siteName, product: 'Schedule', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    name: facts.title,
    // The time zone is set on each event. Set on the calendar itself, it would also make DTSTAMP local, which
    // must be UTC.
    timezone: { name: null, generator: describeTimeZone },
    events: [timetable.testSession, ...timetable.sessions].map((session) =>
      eventOf(session, edition, pageUrl),
    ),
  });
  return { fileName: facts.calendar.fileName, content: `${calendar.toString()}\r\n` };
}

function eventOf(session: ScheduledSession, edition: Edition, pageUrl: string) {
  const { facts, timetable } = edition;
  return {
    id: `${facts.id}-${session.id}@the-doorway-retreat`,
    sequence: facts.calendar.revision,
    stamp: new Date(facts.calendar.revisedAt),
    timezone: timetable.timeZone.id,
    // A local time without an offset: the library would convert an absolute time to this machine's local
    // time, whatever the zone.
    start: session.start,
    end: session.end,
    summary: calendarWords.summary(edition, session.title),
    description: withPlainSpaces(calendarWords.description(edition, session, pageUrl)),
    location: withPlainSpaces(placeOf(session, timetable)),
    url: pageUrl,
  };
}

/** Replaces no-break spaces: calendar apps wrap lines themselves. */
function withPlainSpaces(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

/** The VTIMEZONE component, daylight saving included. */
function describeTimeZone(timeZone: string): string {
  const [component] = tzlib_get_ical_block(timeZone);
  if (!component) throw new Error(`The time zone ${timeZone} is not known`);
  return component;
}

/** `GET /retreat.ics`: every session for the visitor's calendar. It changes with the schedule only. */
export function addCalendarRoute(app: IRouter, edition: Edition, pageUrl: string): void {
  let made: ReturnType<typeof createRetreatCalendar> | undefined;
  app.get(CALENDAR_PATH, (_req, res) => {
    made ??= createRetreatCalendar(edition, pageUrl);
    const { fileName, content } = made;
    res
      .attachment(fileName)
      .set({ ...keptForAnHour, ETag: entityTag(Buffer.from(content)) })
      .type('text/calendar; charset=utf-8')
      .send(content);
  });
}
