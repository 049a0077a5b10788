import type { Page, Route } from '@playwright/test';
import type { EarlyPresses } from '#shared/page.ts';

declare global {
  interface Window {
    earlyPresses?: EarlyPresses;
  }
}

/** The script that runs at load. */
export const LOADER = '**/static/js/entry.client-*';
/** The code that the islands share. */
export const APPLICATION = '**/static/js/application-*';

/** Holds back the answers to some requests. Returns the function that releases them. */
export async function holdBack(
  page: Page,
  url: string | RegExp,
  answer = (route: Route) => route.continue(),
): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await answer(route);
  });
  return release;
}

/** Waits until every section of the page is laid out and has its place. */
export async function untilArrived(page: Page): Promise<void> {
  await page.locator('html:not([data-arriving])').waitFor({ state: 'attached' });
}

/**
 * Waits until an island is hydrated and answers what is pressed there. The menu is the first one on every page.
 */
export async function untilHydrated(page: Page, island = 'menu'): Promise<void> {
  await page.waitForFunction((id) => window.earlyPresses?.ready.includes(id), island);
}

/** Makes the browser forbid a page its local storage, as visitors can set it. */
export async function blockLocalStorage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      },
    });
  });
}
