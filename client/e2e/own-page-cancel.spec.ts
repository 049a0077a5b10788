import assert from 'node:assert/strict';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { openOwnPage, PROOF } from './steps/own-page.ts';

test.use({ visitor: PHONE });

test('she cancels on her page, and takes it back, with scripts and without', { tag: '@journey' }, async ({
  site,
}) => {
  const email = 'cancels@example.org';
  const { page: own, link } = await openOwnPage(site, email);
  for (const page of [own, await site.openEmpty({ javaScriptEnabled: false })]) {
    await page.goto(link);
    await page.getByRole('link', { name: 'Cancel your place' }).click();
    await page.getByRole('heading', { name: 'What comes back to you' }).waitFor();
    await page.getByText('Nothing comes back, and nothing more is charged.').waitFor();
    await page.getByLabel(PROOF).fill('95060');
    await page.getByRole('button', { name: 'Cancel my place' }).click();
    await page.getByRole('heading', { name: 'Your place is cancelled' }).waitFor();
    await page.getByText('You have cancelled').first().waitFor();
    assert.equal(await page.locator('form[data-act], #days, #room').count(), 0);
    await page.reload();
    await page.getByText('If you change your mind, you can take it back until').waitFor();
    assert.equal(await page.locator('.place-news').count(), 0);
    await page.getByRole('link', { name: 'Take it back, and keep my place' }).click();
    await page.getByLabel(PROOF).fill('95060');
    await page.getByRole('button', { name: 'Keep my place' }).click();
    await page.getByText('Your place is yours again.').waitFor();
    await page.getByRole('heading', { name: 'The days' }).waitFor();
  }
  assert.equal((await site.chargesOf(email)).length, 1);
});
