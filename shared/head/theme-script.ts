import { frameColor } from '#shared/content/compiled/on-sale/frame-color.ts';
import { THEME_STORAGE_KEY } from '#shared/theme.ts';

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
