import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { formPaths } from '#shared/place-forms.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { openOwnPage } from './steps/place.ts';

const PROOF = 'Postal code of the card that paid your deposit';
const DEPOSIT = 72_100;

const cancelButton = (page: Page) => page.getByRole('button', { name: 'Cancel my place' });

async function expectCancelled(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Your place is cancelled' }).waitFor();
  assert.match((await page.locator('.place-news').textContent()) ?? '', /You have cancelled/);
  assert.equal(await page.locator('form[data-act], #days, #room').count(), 0);
}

/** Opens the page for cancelling, gives a wrong proof of identity, then the right one, and undoes the cancellation. */
async function cancelAndUndo(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Cancel your place' }).click();
  await page.getByRole('heading', { name: 'What comes back to you' }).waitFor();
  await page.getByText('Nothing comes back, and nothing more is charged.').waitFor();
  await page.getByLabel(PROOF).fill('10001');
  await cancelButton(page).click();
  await page.getByRole('link', { name: 'This does not match the postal code' }).click();
  assert.equal(await page.getByLabel(PROOF).inputValue(), '10001');
  assert.match(await page.title(), /^Please check:/);
  await page.getByLabel(PROOF).fill('95060');
  await cancelButton(page).click();
  await expectCancelled(page);
  await page.reload();
  await page.getByText('If you change your mind, you can take it back until').waitFor();
  assert.equal(await page.locator('.place-news').count(), 0);
  await page.getByRole('button', { name: 'Take it back, and keep my place' }).click();
  await page.getByText('Your place is yours again.').waitFor();
  await page.getByRole('heading', { name: 'The days' }).waitFor();
}

test.describe('she cancels on her page, and takes it back', () => {
  test.use({ visitor: PHONE });

  test('on a phone, with scripts and without', { tag: '@journey' }, async ({ site }) => {
    const email = 'cancels@example.org';
    const { page, link, assertQuiet } = await openOwnPage(site, email);
    await cancelAndUndo(page);
    assertQuiet({ except: /status of 422/ });
    const { page: plain } = await site.openEmpty({ javaScriptEnabled: false });
    await plain.goto(link);
    await cancelAndUndo(plain);
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT]);
  });

  test('pressing twice, and going back in the browser, cancels once', async ({ site }) => {
    const { page } = await openOwnPage(site, 'cancels-twice@example.org');
    await page.getByRole('link', { name: 'Cancel your place' }).click();
    await page.getByLabel(PROOF).fill('95060');
    await cancelButton(page).dblclick();
    await expectCancelled(page);
    await page.goBack();
    await page.goto(`${site.product.siteUrl}${formPaths.cancel}`);
    await page.getByRole('heading', { name: 'Your place is cancelled' }).waitFor();
  });
});
