import assert from 'node:assert/strict';
import { expect } from '@playwright/test';
import { privacyCopy } from '#shared/content/privacy.ts';
import { DESKTOP } from './run/browser.ts';
import { test } from './run/test.ts';
import { untilHydrated } from './steps/loading.ts';

test.describe('without a pixel', () => {
  test('R6.1 nobody is asked, and the code that would ask is not loaded', async ({ site }) => {
    const page = await site.openEmpty();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const measured = page.waitForResponse('**/report-vitals-*');
    await page.goto(site.product.siteUrl);
    await measured;
    await page.getByRole('button', { name: 'Your privacy' }).click();
    const panel = page.getByRole('dialog', { name: 'What we keep about you' });
    await panel.waitFor();
    assert.equal(await panel.getByText(/pixel|being measured|your answer/i).count(), 0);
    assert.equal(await page.locator('.consent-bar, .consent-choice').count(), 0);
    assert.deepEqual(
      requests.filter((url) => url.includes('track-visitor')),
      [],
    );
  });

  test('R6 the privacy panel opens at its title, and closes when Tab leaves it', async ({ site }) => {
    const page = await site.open({ width: 390, height: 500 });
    await untilHydrated(page);
    await page.getByRole('button', { name: 'Your privacy' }).press('Enter');
    const panel = page.getByRole('dialog');
    const title = panel.getByRole('heading', { name: privacyCopy.title });
    await expect(title).toBeFocused();
    assert.equal(await panel.evaluate((element) => element.scrollTop), 0);
    const last = panel.getByRole('button', { name: privacyCopy.close });
    await last.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await expect(last).toBeFocused();
    // The first Tab goes to the browser's own controls: nothing in the page follows the button that opened the panel.
    for (let tab = 0; tab < 2; tab += 1) await page.keyboard.press('Tab');
    await panel.waitFor({ state: 'hidden' });
  });

  test('R6 the privacy panel opens and closes without JavaScript', async ({ site }) => {
    const page = await site.open({
      ...DESKTOP,
      javaScriptEnabled: false,
    });
    const panel = page.getByRole('dialog');
    assert.equal(await panel.count(), 0);
    await page.getByRole('button', { name: 'Your privacy' }).click();
    await panel.getByText('card payment provider').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'hidden' });
  });
});
