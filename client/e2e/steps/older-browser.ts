import { expect, type Page } from '@playwright/test';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import type { Palette } from '#shared/content/edition.ts';

/** What the oldest supported browsers do not know. */
const UNKNOWN =
  /\b(?:light-dark|color-mix)(?=\()|:has(?=\()|::details-content|popover|Popover|scripting(?=:)|\blh\b|(?:size-adjust|ascent-override|text-wrap|content-visibility|interpolate-size)(?=:)/g;

/**
 * Serves a page from now on as the oldest supported browsers understand it: what they do not know is renamed, in HTML, style
 * sheets and scripts alike, to what no browser knows.
 */
export async function becomeOlderBrowser(page: Page): Promise<void> {
  await page.route('**', async (route) => {
    if (!['document', 'stylesheet', 'script'].includes(route.request().resourceType()))
      return route.fallback();
    const response = await route.fetch({ maxRedirects: 0 });
    // The policy names the digests of the scripts in the page, as they were.
    const { 'content-security-policy': _, ...headers } = response.headers();
    const body = (await response.text()).replaceAll(UNKNOWN, 'un$&');
    return route.fulfill({ response, headers, body });
  });
}

type Looks = readonly (readonly [selector: string, property: string, color: keyof Palette])[];

/** Checks computed colours of a page, of the first element of each selector, against the palette. */
export async function expectColors(page: Page, scheme: 'light' | 'dark', looks: Looks): Promise<void> {
  for (const [selector, property, color] of looks)
    await expect(page.locator(selector).first()).toHaveCSS(property, toRgb(edition.palette[color][scheme]));
}

/** Reloads a page on a device that is light, then on one that is dark, and checks its colours. */
export async function expectColorsInBoth(page: Page, looks: Looks): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.reload();
    await expectColors(page, scheme, looks);
  }
}

/** `rgb(251, 246, 239)`, as browsers compute it, for `#fbf6ef`. */
export function toRgb(hex: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return `rgb(${channels.join(', ')})`;
}
