import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { placePaths } from '#shared/place.ts';
import { formPaths } from '#shared/place-forms.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/axe.ts';
import { openAct, openOwnPage } from './steps/place.ts';

/** Checks that what is shown is accessible and fits the narrowest phone. */
async function look(page: Page, what: string): Promise<void> {
  await assertAccessibleInBoth(page, what);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, what);
}

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

test.describe('the looks of her page', () => {
  test.use({ visitor: PHONE });

  test('axe finds nothing, light or dark, it fits the width of a phone, and every control is large enough for a thumb', {
    tag: '@journey',
  }, async ({ site }) => {
    const { page: own, link } = await openOwnPage(site, 'place-looks@example.org');
    await assertThumbs(own, 'a, button, summary');
    const { page, assertQuiet } = await site.open({ width: 320, height: 700, path: 'place' });
    await look(page, 'the way to her page');
    await page.goto(link);
    await look(page, 'her page');
    await openAct(page, 'Change the card');
    await page.getByRole('button', { name: 'Store this card' }).click();
    await look(page, 'changing the card, with errors');
    await openAct(page, 'Pay $726.25 now');
    await page.getByLabel('Another card').check();
    await look(page, 'paying with another card');
    await page.goto(`${site.product.siteUrl}${placePaths.receipts}`);
    await look(page, 'receipts');
    assertQuiet();
  });

  test('so it is on her forms, with errors too, and once she has cancelled', async ({ site }) => {
    const { page } = await openOwnPage(site, 'cancel-looks@example.org');
    await page.setViewportSize({ width: 320, height: 700 });
    for (const path of [formPaths.details, formPaths.address, formPaths.cancel]) {
      await page.goto(`${site.product.siteUrl}${path}`);
      await look(page, path);
      await assertThumbs(page, 'a, button, input:not([type=hidden])');
      await page.locator('form button').click();
      await page.locator('[aria-invalid="true"]').first().waitFor();
      await look(page, `${path} with errors`);
      await assertThumbs(page, 'a, button, input:not([type=hidden])');
    }
    await page.getByLabel('Postal code of the card that paid your deposit').fill('95060');
    await page.getByRole('button', { name: 'Cancel my place' }).click();
    await page.getByRole('heading', { name: 'Your place is cancelled' }).waitFor();
    await look(page, 'cancelled');
  });
});
