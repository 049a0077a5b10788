import { linksEndAt } from '#server/links/own-page-links.ts';
import type { Announcements } from '#server/payments/announcements.ts';
import type { Edition } from '#shared/content/edition.ts';
import { moment } from './plain-words.ts';

/** The revision of the schedule as first published: nobody has had an earlier one. */
const FIRST_REVISION = 1;

/** Why the schedule cannot be announced now, as a sentence; undefined if it can. */
export function whyNoSchedule(
  edition: Edition,
  { scheduleTold }: Announcements,
  now: Date,
): string | undefined {
  const { calendar, endsAt } = edition.facts;
  if (now >= new Date(endsAt)) return 'The retreat is over.';
  if (calendar.revision <= FIRST_REVISION)
    return 'The schedule is the one that was first published: nothing has changed.';
  if (!scheduleTold || scheduleTold.revision < calendar.revision) return undefined;
  const { revision, at, by } = scheduleTold;
  return `Revision ${revision} of the schedule was announced on ${moment(at, { edition })} by ${by}.`;
}

/** Why no video room can be announced, as a sentence; undefined if it can. */
export function whyNoRoom({ facts }: Edition, now: Date): string | undefined {
  return now < new Date(facts.endsAt) ? undefined : 'The retreat is over.';
}

/** Why no recordings can be announced, as a sentence; undefined if they can. */
export function whyNoRecordings({ facts, timetable }: Edition, now: Date): string | undefined {
  if (timetable.letters.recordings === undefined) return 'Nothing of this retreat is recorded.';
  return now < linksEndAt(facts) ? undefined : 'The pages of registrants are closed by now.';
}
