import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser, openPage } from './browser.ts';
import { type Product, startProduct } from './product.ts';

let product: Product;
let browser: Browser;
before(async () => {
  product = await startProduct('start');
  browser = await launchBrowser(['--blink-settings=defaultFontSize=32']);
});
after(async () => {
  await browser?.close();
  await product?.end();
});

test('R1 with text at 200 % nothing scrolls sideways either', async (t) => {
  const { page, close } = await openPage(browser, { width: 320, height: 900 });
  t.after(close);
  await page.goto(product.siteUrl);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), '32px');
  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
});
