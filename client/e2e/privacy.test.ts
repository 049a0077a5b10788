import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { privacyButtons } from '#shared/content/privacy.ts';
import { openPage } from './browser.ts';
import { choosePackage } from './registration.ts';
import { runProduct } from './run-product.ts';

const DESKTOP = { width: 1280, height: 900 };

describe('without a pixel', () => {
  const run = runProduct();

  test('R6.1 nobody is asked, and the code that would ask is not loaded', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, DESKTOP);
    t.after(close);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const measured = page.waitForResponse('**/report-vitals-*');
    await page.goto(run.product.siteUrl);
    await measured;
    await page.getByRole('button', { name: 'Your privacy' }).click();
    const panel = page.getByRole('dialog', { name: 'What is kept of you' });
    await panel.waitFor();
    assert.equal(await panel.getByText(/pixel|being measured|your answer/i).count(), 0);
    assert.equal(await page.locator('.consent-bar, .consent-choice').count(), 0);
    assert.deepEqual(
      requests.filter((url) => url.includes('track-visitor')),
      [],
    );
    assertQuiet();
  });

  test('R6 the privacy panel opens over the stepper, closes by keyboard and gives the focus back', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, DESKTOP);
    t.after(close);
    await page.goto(run.product.siteUrl);
    await choosePackage(page);
    const opener = page.getByRole('button', { name: privacyButtons.fromStepper });
    await opener.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.ok(await opener.evaluate((element) => element === document.activeElement));
    assertQuiet();
  });

  test('R6 the privacy panel opens and closes without JavaScript', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, {
      ...DESKTOP,
      javaScriptEnabled: false,
    });
    t.after(close);
    await page.goto(run.product.siteUrl);
    const panel = page.getByRole('dialog');
    assert.equal(await panel.count(), 0);
    await page.getByRole('button', { name: 'Your privacy' }).click();
    await panel.getByText('card payment provider').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'hidden' });
    assertQuiet();
  });
});
