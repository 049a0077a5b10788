/** What a visitor can choose (R1.15). `system` follows the device and is never stored. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Where the choice is kept in local storage; absent means `system`. */
export const THEME_STORAGE_KEY = 'theme';

/** The colour of the browser's own frame: the page's ground in each scheme, as `--paper` in tokens.css. */
export const themeColors = { light: '#fbf6ef', dark: '#1b1319' } as const;

/** The theme of that name; whatever else was stored counts as `system`. */
export function parseTheme(name: unknown): Theme {
  return themes.find((theme) => theme === name) ?? 'system';
}

/**
 * Applies the stored choice before the first paint. It stands in the document's head, the page's only inline script:
 * the Content-Security-Policy allows it by the hash of this very text.
 */
export const themeScript = `(function () {
  var theme, colors = ${JSON.stringify(themeColors)};
  try { theme = localStorage.getItem('${THEME_STORAGE_KEY}'); } catch (blocked) {}
  if (theme !== 'light' && theme !== 'dark') return;
  document.documentElement.dataset.theme = theme;
  document.querySelectorAll('meta[name="theme-color"]').forEach(function (meta) {
    meta.content = colors[theme];
  });
})();`;
