import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import axe from 'axe-core';

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

/** Checks at some widths that no word of a part of the page is broken; an e-mail address may be. */
export async function expectWholeWords(page: Page, part: string, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    const broken = await page.locator(part).evaluate((root) => {
      const found: string[] = [];
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        if (!text.parentElement?.checkVisibility() || text.textContent?.includes('@')) continue;
        if (text.parentElement.closest('option, noscript, .visually-hidden')) continue;
        for (const { 0: word, index } of (text.textContent ?? '').matchAll(/[\p{L}\p{N}]+/gu)) {
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) found.push(word);
        }
      }
      return found;
    });
    assert.deepEqual(broken, [], `at ${width}`);
  }
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

declare global {
  interface Window {
    shifted?: number;
  }
}

const MAX_SHIFT = 0.01;

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

export async function readThrough(page: Page): Promise<void> {
  for (const picture of await page.locator('main section, main img').all())
    await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
}

export async function assertSteady(page: Page): Promise<void> {
  const shifted = await page.evaluate(() => window.shifted);
  assert.ok(shifted !== undefined && shifted < MAX_SHIFT, `the layout shifted by ${shifted}`);
}
