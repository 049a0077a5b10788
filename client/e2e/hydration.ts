import type { Page } from 'playwright-core';

/** Waits until React has taken over the page: it marks the elements it knows. */
export async function untilHydrated(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('#root input') ?? {}).some((key) => key.startsWith('__react')),
  );
}
