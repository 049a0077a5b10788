import type { Page } from 'playwright-core';

/**
 * Waits until React has taken over the page, or a section that it takes over when somebody comes near: it marks the
 * elements it knows.
 */
export async function untilHydrated(page: Page, part = '#root header'): Promise<void> {
  await page.waitForFunction((selector) => {
    const element = document.querySelector(`${selector} :is(input, button)`);
    return Object.keys(element ?? {}).some((key) => key.startsWith('__react'));
  }, part);
}
