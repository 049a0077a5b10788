import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { facts, terms } from '#shared/content/compiled/on-sale.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { sitePages } from '#shared/content/site-pages.ts';
import { formPaths, ownPagePaths } from '#shared/own-page.ts';
import { DESKTOP, expectNoise } from './run/browser.ts';
import { test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/looks.ts';
import { openOwnPage, PROOF } from './steps/own-page.ts';
import * as steps from './steps/registration.ts';

/** The narrowest phone that is supported. */
const PHONE = { width: 320, height: 700 };

/** The part of the page that a step changes. The rest is checked before the first step and in the last two states. */
const STEPPER = '#register-stepper';

/** Checks that every control is large enough for a thumb. */
async function assertThumbs(page: Page, controls: string): Promise<void> {
  const small = await page.locator(`main :is(${controls})`).evaluateAll((elements) =>
    elements
      .filter((element) => element.checkVisibility())
      .map((element) => ({ text: element.textContent, height: element.getBoundingClientRect().height }))
      .filter(({ height }) => height < 44),
  );
  assert.deepEqual(small, []);
}

test.describe('axe finds nothing, light or dark, and nothing scrolls sideways', () => {
  for (const { name, size, tag } of [
    { name: 'phone', size: PHONE, tag: '@journey' },
    { name: 'desktop', size: DESKTOP, tag: [] },
  ])
    test(`on the page, on each step of the registration with its errors, and on the terms, ${name}`, {
      tag,
    }, async ({ site }) => {
      const page = await site.open(size);
      await page.locator('summary').first().click();
      await assertAccessibleInBoth(page, 'landing page');
      await steps.choosePackage(page);
      await assertAccessibleInBoth(page, 'contact step', STEPPER);
      await page.getByRole('button', { name: 'Next' }).click();
      await assertAccessibleInBoth(page, 'contact step with errors', STEPPER);
      await steps.giveContact(page, { ...steps.visitor, email: `axe-${name}@example.org` });
      await page.getByLabel('Credit or debit card number').waitFor();
      await assertAccessibleInBoth(page, 'payment step', STEPPER);
      await page.getByRole('button', { name: 'Start over' }).click();
      const question = page.getByRole('dialog', { name: 'Start over?' });
      await question.waitFor();
      await assertAccessibleInBoth(page, 'question before starting over', 'dialog[open]');
      await question.getByRole('button', { name: 'No, keep it' }).click();
      await steps.finish(page);
      await assertAccessibleInBoth(page, 'payment step with errors', STEPPER);
      await steps.payWith(page, steps.testCards.succeeds);
      await steps.expectCompletion(page);
      await assertAccessibleInBoth(page, 'completion', STEPPER);
      await page.goto(site.product.siteUrl + termsPathOf(facts, terms));
      await assertAccessibleInBoth(page, 'terms');
      for (const { path } of [sitePages.privacy, sitePages.accessibility, sitePages.legal]) {
        await page.goto(site.product.siteUrl + path);
        await assertAccessibleInBoth(page, path);
      }
    });

  test('on her page and its receipts, whose controls are large enough for a thumb', {
    tag: '@journey',
  }, async ({ site }) => {
    const { link } = await openOwnPage(site, 'large-controls@example.org');
    const page = await site.open({ ...PHONE, path: 'place' });
    await assertAccessibleInBoth(page, 'the way to her page');
    await page.goto(link);
    await assertAccessibleInBoth(page, 'her page');
    await assertThumbs(page, 'a, button, summary');
    await page.goto(`${site.product.siteUrl}${ownPagePaths.receipts}`);
    await assertAccessibleInBoth(page, 'receipts');
  });

  test('on her forms, with errors too, and once she has cancelled', async ({ site }) => {
    const { page } = await openOwnPage(site, 'cancel-looks@example.org');
    await page.setViewportSize(PHONE);
    expectNoise(page, /status of 422/);
    const { pay, card, details, data, address, cancel } = formPaths;
    for (const path of [pay, card, details, data, address, cancel]) {
      await page.goto(`${site.product.siteUrl}${path}`);
      await assertAccessibleInBoth(page, path);
      await assertThumbs(page, 'a, button, input:not([type=hidden])');
      await page.locator('form button').click();
      await page.locator('[aria-invalid="true"]').first().waitFor();
      await assertAccessibleInBoth(page, `${path} with errors`);
      await assertThumbs(page, 'a, button, input:not([type=hidden])');
    }
    await page.getByLabel(PROOF).fill('95060');
    await page.getByRole('button', { name: 'Cancel my place' }).click();
    await page.getByRole('heading', { name: 'Your place is cancelled' }).waitFor();
    await assertAccessibleInBoth(page, 'cancelled');
    await page.getByRole('link', { name: 'Undo it, and keep my place' }).click();
    await page.getByRole('button', { name: 'Keep my place' }).click();
    await page.locator('[aria-invalid="true"]').first().waitFor();
    await assertAccessibleInBoth(page, 'taking it back, with errors');
    await assertThumbs(page, 'a, button, input:not([type=hidden])');
    await page.getByLabel(PROOF).fill('95060');
    await page.getByRole('button', { name: 'Keep my place' }).click();
    await page.getByText('Your place is yours again').waitFor();
  });
});
