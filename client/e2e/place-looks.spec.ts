import assert from 'node:assert/strict';
import { placePaths } from '#shared/place.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/axe.ts';
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

    const { page, assertQuiet } = await site.openEmpty({ width: 320, height: 700 });
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await page.goto(`${site.product.siteUrl}/place`);
    await assertAccessibleInBoth(page, 'the way to her page');
    await page.goto(link);
    await assertAccessibleInBoth(page, 'her page');
    assert.equal(await width(), 320);
    await openAct(page, 'Change the card');
    await page.getByRole('button', { name: 'Store this card' }).click();
    await assertAccessibleInBoth(page, 'changing the card, with errors');
    await openAct(page, 'Pay $726.25 now');
    await page.getByLabel('Another card').check();
    await assertAccessibleInBoth(page, 'paying with another card');
    assert.equal(await width(), 320);
    await page.goto(`${site.product.siteUrl}${placePaths.receipts}`);
    await assertAccessibleInBoth(page, 'receipts');
    assertQuiet();
  });
});
