import { timetable } from '#shared/content/compiled/on-sale/timetable.ts';
import { earlyPressesScript } from '#shared/early-presses.ts';
import { registeredScript } from './registered.ts';
import { themeScript } from './theme-script.ts';

/**
 * While `data-arriving` is set on the root element, only the sections near the screen are laid out: see
 * page-section.css and client/islands/lay-out-sections.ts. It is not set where all sections need their final
 * size at once: for an address with a fragment, for a reload, which restores the scroll position, and after a
 * press on a link. Nor is it set in browsers without scroll anchoring, where the text on screen would move as
 * sections above it get their size.
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

/** Of the first and the last session: the start, and how many minutes UTC is ahead (`getTimezoneOffset`). */
const ends = [...sessions.slice(0, 1), ...sessions.slice(-1)].map(
  ({ start, startsAt }) => [startsAt, (Date.parse(startsAt) - Date.parse(`${start}Z`)) / 60_000] as const,
);

/**
 * Sets `data-same-hours` on the root element if the visitor's time zone agrees with the retreat's at its
 * first and last session: schedule.css then hides the choice of time zone. In the head, so that nothing
 * moves.
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
