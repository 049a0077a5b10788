import { followStored, inStorage, writeStored } from '#client/store/browser-storage.ts';
import { frameColor } from '#shared/content/compiled/on-sale.ts';
import { parseTheme, THEME_STORAGE_KEY, type Theme } from '#shared/page.ts';

/*
 * The current theme is in `data-theme` of the root element: the script in the head sets it before the first
 * paint, and the style sheet reads it. So it needs no store, and where local storage is blocked it works
 * until the page is closed.
 */

export function readTheme(): Theme {
  return parseTheme(document.documentElement.dataset.theme);
}

export function subscribeToTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  writeStored('local', THEME_STORAGE_KEY, theme === 'system' ? undefined : theme);
}

export function followStoredTheme(): void {
  followStored(THEME_STORAGE_KEY, () =>
    inStorage('local', (storage) => applyTheme(parseTheme(storage.getItem(THEME_STORAGE_KEY)))),
  );
}

function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.media.includes('dark') ? 'dark' : 'light';
    meta.content = frameColor[theme === 'system' ? own : theme];
  }
}
