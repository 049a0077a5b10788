import type { Page } from 'playwright-core';
import type { EarlyPresses } from '#shared/early-presses.ts';
import { ROOT_ELEMENT_ID } from '#shared/page.ts';

declare global {
  interface Window {
    earlyPresses?: EarlyPresses;
  }
}

/**
 * Waits until React has taken over the page, or a section that it takes over when somebody comes near, and answers what
 * is pressed there.
 */
export async function untilHydrated(page: Page, partId: string = ROOT_ELEMENT_ID): Promise<void> {
  await page.waitForFunction((id) => window.earlyPresses?.ready.includes(id), partId);
}
