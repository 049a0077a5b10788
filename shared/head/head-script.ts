import { timetable } from '#shared/content/compiled/on-sale/timetable.ts';
import { earlyPressesScript } from '#shared/early-presses.ts';
import { registeredScript } from './registered.ts';
import { themeScript } from './theme-script.ts';

/**
 * While `data-arriving` stands on the document's element, only the sections near the screen are laid out: see
 * page-section.css and client/islands/lay-out-sections.ts. Not where the rest must have its place at once, as for an address
 * within the page, a reload, which goes back to where it was, or a press on a link; nor where the browser would move what
 * a visitor reads as the sections above her get their size.
 */
const arrivalScript = `(function () {
  var page = document.documentElement;
  if (location.hash || !CSS.supports('overflow-anchor', 'auto')) return;
  if (performance.getEntriesByType('navigation')[0]?.type !== 'navigate') return;
  page.dataset.arriving = '';
  addEventListener('click', function (event) {
    if (event.target.closest('a')) delete page.dataset.arriving;
  }, true);
})();`;

const { sessions } = timetable;

/** Of the first session and the last: the moment, and how far UTC is ahead then, as `getTimezoneOffset` tells it. */
const ends = [...sessions.slice(0, 1), ...sessions.slice(-1)].map(
  ({ start, startsAt }) => [startsAt, (Date.parse(startsAt) - Date.parse(`${start}Z`)) / 60_000] as const,
);

/**
 * Sets `data-same-hours` on the document's element where the visitor's clocks show the retreat's hours from its first
 * session to its last: schedule.css offers no other hours there. It runs in the head, so that nothing moves.
 */
const sameHoursScript = `(function () {
  var same = ${JSON.stringify(ends)}.every(function (end) {
    return new Date(end[0]).getTimezoneOffset() === end[1];
  });
  if (same) document.documentElement.dataset.sameHours = '';
})();`;

/** The page's one inline script; the Content-Security-Policy allows it by the hash of this very text. */
export const headScript = [
  themeScript,
  registeredScript,
  sameHoursScript,
  arrivalScript,
  earlyPressesScript,
].join('\n');
