import type { Page } from '@playwright/test';

/** The script that runs at load. */
export const LOADER = '**/static/js/entry.client-*';
/** The code that the islands share. */
export const APPLICATION = '**/static/js/application-*';

/** Holds back a file. Returns the function that releases it. */
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
