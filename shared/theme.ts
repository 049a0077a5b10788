/** What a visitor can choose (R1.15). `system` follows the device and is never stored. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The local storage key of the choice; absent means `system`. */
export const THEME_STORAGE_KEY = 'theme';

/** The theme of that name; whatever else was stored counts as `system`. */
export function parseTheme(name: unknown): Theme {
  return themes.find((theme) => theme === name) ?? 'system';
}
