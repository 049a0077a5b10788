import { frameColor } from '#shared/content/compiled/on-sale.ts';
import { REGISTERED_STORAGE_KEY, THEME_STORAGE_KEY } from '#shared/page.ts';

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
 * the calls to action then say that the place is reserved. See client/registration/progress.ts.
 */
const registeredScript = `(function () {
  try { if (sessionStorage.getItem('${REGISTERED_STORAGE_KEY}')) document.documentElement.dataset.registered = ''; } catch (blocked) {}
})();`;

/**
 * Until an island is hydrated, remembers the last button pressed in it by its id: `client/entry.client.ts` presses it again. It
 * is in the document's head, since a button can be pressed as soon as it is visible. Meanwhile the page shows that a press
 * waits, or that its script has failed to load.
 */
const earlyPressScript = `(function () {
  addEventListener('click', function (event) {
    var pressed = event.target.closest(':is(button:not([popovertarget]), input, .video-facade)');
    var island = pressed && pressed.closest('[data-island]:not([data-hydrated])');
    if (!island) return;
    event.preventDefault();
    event.stopPropagation();
    island.dataset.pressed = pressed.id;
  }, true);
  addEventListener('error', function (event) {
    if (event.target.tagName === 'SCRIPT') document.documentElement.dataset.startFailed = '';
  }, true);
})();`;

/** Marks a page that is loaded again, whose scroll position the browser restores: see client/ui/page-section.css. */
const againScript = `if (performance.getEntriesByType('navigation')[0]?.type !== 'navigate') {
  document.documentElement.dataset.again = '';
}`;

/** The page's one inline script; the Content-Security-Policy allows it by the hash of this very text. */
export const headScript = [themeScript, registeredScript, againScript, earlyPressScript].join('\n');
