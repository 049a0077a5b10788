import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** The rules whose finding depends on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Runs axe with all its rules, or some, on what the page shows now, or on one part of it: the rules on the page as a whole
 * are then left out. Nobody should have to scroll sideways either.
 */
export async function assertAccessible(
  page: Page,
  state: string,
  part?: string,
  rules?: readonly string[],
): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const findings = await page.evaluate(
    async ([selector, only]) => {
      const { violations } = await window.axe.run(selector ?? document, {
        resultTypes: ['violations'],
        ...(only && { runOnly: { type: 'rule', values: [...only] } }),
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
    },
    [part, rules] as const,
  );
  assert.deepEqual(findings, [], state);
  const [width, wanted] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.equal(width, wanted, `${state}: it scrolls sideways`);
}

/** The same in the light scheme of the device, and in the dark one, which differs in colours only. */
export async function assertAccessibleInBoth(page: Page, state: string, part?: string): Promise<void> {
  for (const [colorScheme, rules] of [['light'], ['dark', OF_COLOURS]] as const) {
    await page.emulateMedia({ colorScheme });
    await assertAccessible(page, `${state}, ${colorScheme}`, part, rules);
  }
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
