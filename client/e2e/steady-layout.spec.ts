import assert from 'node:assert/strict';
import { test } from './run/test.ts';
import { assertSteady, readThrough, watchShifts } from './steps/looks.ts';

test.describe('the page while it is read', () => {
  for (const width of [390, 1440]) {
    test(`nothing shifts or scrolls sideways, ${width} px wide`, { tag: '@journey' }, async ({ site }) => {
      const page = await site.openEmpty({ width, height: 900 });
      await watchShifts(page);
      await page.goto(site.product.siteUrl);
      await readThrough(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      await assertSteady(page);
    });
  }
});
