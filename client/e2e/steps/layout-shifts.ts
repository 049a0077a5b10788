import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';

declare global {
  interface Window {
    shifted?: number;
  }
}

/** Below this sum of layout shifts, in Chromium's measure, a layout counts as steady. */
const MAX_SHIFT = 0.01;

/** Sums up the layout shifts of a page, from its first paint on. */
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

/** Scrolls from section to section, and waits until all pictures are loaded. */
export async function readThrough(page: Page): Promise<void> {
  for (const picture of await page.locator('main section, main img').all())
    await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
}

export async function assertSteady(page: Page): Promise<void> {
  const shifted = await page.evaluate(() => window.shifted);
  assert.ok(shifted !== undefined && shifted < MAX_SHIFT, `the layout shifted by ${shifted}`);
}
