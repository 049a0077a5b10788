import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import axe from 'axe-core';

/**
 * Runs axe with all its rules on what the page shows now, or on one part of it: the rules on the page as a whole are then
 * left out. Nobody should have to scroll sideways either.
 */
export async function assertAccessible(page: Page, state: string, part?: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const findings = await page.evaluate(async (selector) => {
    const { violations } = await window.axe.run(selector ?? document, { resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, part);
  assert.deepEqual(findings, [], state);
  const [width, wanted] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.equal(width, wanted, `${state}: it scrolls sideways`);
}

/** The same in the light and in the dark scheme of the device. */
export async function assertAccessibleInBoth(page: Page, state: string, part?: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await assertAccessible(page, `${state}, ${colorScheme}`, part);
  }
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
