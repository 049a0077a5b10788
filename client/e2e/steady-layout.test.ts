import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runProduct } from './run/run-product.ts';
import { assertSteady, readThrough, watchShifts } from './steps/layout-shifts.ts';

describe('the page while it is read', () => {
  const run = runProduct();

  for (const width of [390, 1440]) {
    test(`nothing shifts or scrolls sideways, ${width} px wide`, async (t) => {
      const { page, assertQuiet } = await run.openEmpty(t, { width, height: 900 });
      await watchShifts(page);
      await page.goto(run.product.siteUrl);
      await readThrough(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      await assertSteady(page);
      assertQuiet();
    });
  }
});
