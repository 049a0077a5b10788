import type { Page } from 'playwright-core';
import { ROOT_ELEMENT_ID } from '#shared/page.ts';

/**
 * Waits until React has taken over the page, or a section that it takes over when somebody comes near, and answers what
 * is pressed there.
 */
export async function untilHydrated(page: Page, partId: string = ROOT_ELEMENT_ID): Promise<void> {
  await page.waitForFunction((id) => window.earlyPresses?.ready.includes(id), partId);
}
