import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Runs axe with all its rules on what the page shows now. */
export async function assertAccessible(page: Page, state: string): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run());
  const findings = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  assert.deepEqual(findings, [], state);
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
