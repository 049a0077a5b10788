import { frameColor, timetable } from '#shared/content/compiled/on-sale.ts';
import { PRESSABLE, REGISTERED_STORAGE_KEY, THEME_STORAGE_KEY } from '#shared/page.ts';

/**
 * Applies the stored theme before the first paint. It is inline in the document's head: the
 * Content-Security-Policy allows it by the hash of exactly the inline text.
 */
export const themeScript = `(function () {
  var theme, colors = ${JSON.stringify(frameColor)};
  try { theme = localStorage.getItem('${THEME_STORAGE_KEY}'); } catch (blocked) {}
  if (theme !== 'light' && theme !== 'dark') return;
  document.documentElement.dataset.theme = theme;
  document.querySelectorAll('meta[name="theme-color"]').forEach(function (meta) {
    meta.content = colors[theme];
  });
})();`;

/**
 * Sets `data-registered` on the root element, before the first paint, for a visitor who has paid in this tab:
 * the calls to action then say that the place is reserved. See client/registration/progress/progress.ts.
 */
const registeredScript = `(function () {
  try { if (sessionStorage.getItem('${REGISTERED_STORAGE_KEY}')) document.documentElement.dataset.registered = ''; } catch (blocked) {}
})();`;

/**
 * Keeps presses of elements that only a hydrated island can handle, until it is hydrated. It is in the
 * document's head, since a button can be pressed as soon as it is visible. While a press waits,
 * `data-pressed` is set on the root element, and the page shows it.
 */
const earlyPressesScript = `(function () {
  var early = window.earlyPresses = { pressed: [], ready: [] };
  addEventListener('click', function (event) {
    var element = event.target.closest('[data-island] ${PRESSABLE}');
    if (!element) return;
    var root = element.closest('[data-island]');
    var island = root.dataset.island;
    if (early.ready.includes(island)) return;
    event.preventDefault();
    event.stopPropagation();
    var index = [].indexOf.call(root.querySelectorAll('${PRESSABLE}'), element);
    early.pressed.push({ element: element, index: index, island: island });
    document.documentElement.dataset.pressed = '';
  }, true);
})();`;

/**
 * While `data-arriving` is set on the root element, only the sections near the screen are laid out: see
 * page-section.css and client/entry.client.ts. It is not set where all sections need their final
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
