import type { Page } from '@playwright/test';

/** Waits until every section of the page is laid out and has its place. */
export async function untilArrived(page: Page): Promise<void> {
  await page.locator('html:not([data-arriving])').waitFor({ state: 'attached' });
}
