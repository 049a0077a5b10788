import type { Page } from '@playwright/test';
import type { EarlyPresses } from '#shared/early-presses.ts';

declare global {
  interface Window {
    earlyPresses?: EarlyPresses;
  }
}

/**
 * Waits until an island is hydrated and answers what is pressed there. The menu is the first one on every page.
 */
export async function untilHydrated(page: Page, island = 'menu'): Promise<void> {
  await page.waitForFunction((id) => window.earlyPresses?.ready.includes(id), island);
}
