import assert from 'node:assert/strict';
import { placePaths } from '#shared/place.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { assertAccessible } from './steps/axe.ts';
import { openAct, openOwnPage } from './steps/place.ts';

test.describe('the looks of her page', () => {
  test.use({ visitor: PHONE });

  test('axe finds nothing, light or dark, it fits the width of a phone, and every control is large enough for a thumb', {
    tag: '@journey',
  }, async ({ site }) => {
    const { page: own, link } = await openOwnPage(site, 'place-looks@example.org');
    const small = await own.evaluate(() =>
      [...document.querySelectorAll('main :is(a, button, summary)')]
        .filter((element) => element.checkVisibility())
        .map((element) => ({ text: element.textContent, height: element.getBoundingClientRect().height }))
        .filter(({ height }) => height < 44),
    );
    assert.deepEqual(small, []);

    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, assertQuiet } = await site.openEmpty({ width: 320, height: 700, colorScheme });
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await page.goto(`${site.product.siteUrl}/place`);
      await assertAccessible(page, `the way to her page, ${colorScheme}`);
      await page.goto(link);
      await assertAccessible(page, `her page, ${colorScheme}`);
      assert.equal(await width(), 320);
      await openAct(page, 'Change the card');
      await page.getByRole('button', { name: 'Store this card' }).click();
      await assertAccessible(page, `changing the card, with errors, ${colorScheme}`);
      await openAct(page, 'Pay $726.25 now');
      await page.getByLabel('Another card').check();
      await assertAccessible(page, `paying with another card, ${colorScheme}`);
      assert.equal(await width(), 320);
      await page.goto(`${site.product.siteUrl}${placePaths.receipts}`);
      await assertAccessible(page, `receipts, ${colorScheme}`);
      assertQuiet();
    }
  });
});
