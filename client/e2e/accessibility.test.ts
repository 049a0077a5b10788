import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { openPage } from './browser.ts';
import {
  choosePackage,
  expectCompletion,
  finish,
  giveBillingDetails,
  giveContact,
  testCards,
  typeCard,
} from './registration.ts';
import { runProduct } from './run-product.ts';

const sizes = [
  { name: 'phone', width: 390, height: 844 },
  { name: 'desktop', width: 1280, height: 900 },
] as const;

/** Runs axe with all its rules on what the page shows now. */
async function assertAccessible(page: Page, state: string): Promise<void> {
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

describe('axe finds nothing', () => {
  const run = runProduct();

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name, width, height } of sizes) {
      const open = async (t: TestContext) => {
        const { page, close } = await openPage(run.browser, { width, height, colorScheme });
        t.after(close);
        await page.goto(run.product.siteUrl);
        return page;
      };

      test(`on the page with an open question, ${colorScheme}, ${name}`, async (t) => {
        const page = await open(t);
        await page.locator('summary').first().click();
        await assertAccessible(page, 'landing page');
      });

      test(`on each step of the registration, with its errors, ${colorScheme}, ${name}`, async (t) => {
        const page = await open(t);
        await choosePackage(page);
        await assertAccessible(page, 'contact step');
        await page.getByRole('button', { name: 'Next' }).click();
        await assertAccessible(page, 'contact step with errors');
        await giveContact(page);
        await page.getByLabel('Credit or debit card number').waitFor();
        await assertAccessible(page, 'payment step');
        await finish(page);
        await assertAccessible(page, 'payment step with errors');
        await typeCard(page, testCards.succeeds);
        await giveBillingDetails(page);
        await finish(page);
        await expectCompletion(page);
        await assertAccessible(page, 'completion');
      });
    }
  }
});
