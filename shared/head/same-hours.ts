import { edition } from '#shared/content/edition.ts';
import { scheduledSessions, withUtcOffset } from '#shared/content/schedule.ts';

const ends = [scheduledSessions.at(0), scheduledSessions.at(-1)].flatMap((session) =>
  session ? withUtcOffset(session.start) : [],
);

/** How far UTC is ahead of the retreat's clocks, as `getTimezoneOffset` tells it. */
const minutesBehindUtc =
  (Date.parse(`${edition.startDate}T00:00${edition.utcOffset}`) - Date.parse(`${edition.startDate}T00:00Z`)) /
  60_000;

/**
 * Sets `data-same-hours` on the document's element where the visitor's clocks show the retreat's hours from its first
 * session to its last: schedule.css offers no other hours there. It runs in the head, so that nothing moves.
 */
export const sameHoursScript = `(function () {
  var same = ${JSON.stringify(ends)}.every(function (moment) {
    return new Date(moment).getTimezoneOffset() === ${minutesBehindUtc};
  });
  if (same) document.documentElement.dataset.sameHours = '';
})();`;
