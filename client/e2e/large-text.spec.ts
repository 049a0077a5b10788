import assert from 'node:assert/strict';
import { launchOptions } from './run/browser.ts';
import { consentBar, WITH_PIXEL } from './run/measured-site.ts';
import { test } from './run/test.ts';
import { expectWholeWordsOnTheWay } from './steps/registration.ts';

test.use({
  launchOptions: launchOptions('--blink-settings=defaultFontSize=32'),
  productEnv: WITH_PIXEL,
});

test.describe('text at 200 %', () => {
  test('R1 nothing scrolls sideways', async ({ site }) => {
    const page = await site.open({ width: 320, height: 900 });
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), '32px');
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
    await consentBar(page).waitFor();
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
  });

  test('R2.2 no word of the registration is broken', async ({ site }) => {
    await expectWholeWordsOnTheWay(
      await site.open({ width: 320, height: 900 }),
      'large@example.org',
      [320, 390],
    );
  });
});
