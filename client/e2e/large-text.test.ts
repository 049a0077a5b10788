import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './browser.ts';
import { runProduct } from './run-product.ts';

const run = runProduct({ switches: ['--blink-settings=defaultFontSize=32'] });

test('R1 with text at 200 % nothing scrolls sideways either', async (t) => {
  const { page, close } = await openPage(run.browser, { width: 320, height: 900 });
  t.after(close);
  await page.goto(run.product.siteUrl);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), '32px');
  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
});
