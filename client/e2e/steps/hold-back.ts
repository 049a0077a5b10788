import type { Page } from 'playwright-core';

/** All that runs at load, and what the islands share. */
export const LOADER = '**/static/js/entry.client-*';
export const APPLICATION = '**/static/js/application-*';

/** Keeps a file from coming. Gives back what lets it come. */
export async function holdBack(page: Page, file: string): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(file, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
