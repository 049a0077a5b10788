import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

declare global {
  interface Window {
    shifted?: number;
  }
}

/** What counts as steady, in Chromium's own measure. */
const MOST_SHIFTED = 0.01;

/** Adds up by how much the layout of a page shifts, from its first paint on. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if ('value' in entry && typeof entry.value === 'number')
          window.shifted = (window.shifted ?? 0) + entry.value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Scrolls from section to section, until all pictures are there. */
export async function readThrough(page: Page): Promise<void> {
  for (const picture of await page.locator('main section, main img').all())
    await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
}

export async function assertSteady(page: Page): Promise<void> {
  const shifted = await page.evaluate(() => window.shifted);
  assert.ok(shifted !== undefined && shifted < MOST_SHIFTED, `the layout shifted by ${shifted}`);
}
