import type { Page, Route } from '@playwright/test';

export const PAGE_SCRIPT = '**/static/js/entry.client-*';

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

/**
 * Waits until an island is hydrated and answers what is pressed there. The menu is the first one on every page.
 */
export async function untilHydrated(page: Page, island = 'menu'): Promise<void> {
  await page.locator(`[data-island="${island}"][data-hydrated]`).waitFor({ state: 'attached' });
}
