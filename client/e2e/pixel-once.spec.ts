import assert from 'node:assert/strict';
import type { Route } from '@playwright/test';
import { LETTER_QUERY } from '#shared/page.ts';
import { answer, changeAnswer, PIXEL_SCRIPT, test } from './run/measured-site.ts';
import { holdBack } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

test.describe('what is reported to the measurement pixel once', () => {
  test('R6.2 AddToCart and Purchase are reported once, with an id for matching, and nothing that identifies the visitor', {
    tag: '@journey',
  }, async ({ site, pixel }) => {
    const page = await site.open();
    await answer(page, 'granted');
    await steps.choosePackage(page);
    await steps.giveContact(page);
    await pixel.untilTold('AddToCart');
    await page.getByRole('button', { name: 'Back' }).click();
    await steps.giveContact(page);
    await page.reload();
    await pixel.untilTold('PageView', 2);
    await steps.pay(page);
    await pixel.untilTold('Purchase');

    await page.reload();
    await pixel.untilTold('PageView', 3);
    await page.goto('about:blank');
    await page.goBack();
    await steps.expectCompletion(page);
    await page.locator('summary').first().click();
    await pixel.untilTold('FaqOpened');
    assert.equal(pixel.events('AddToCart').length, 1);
    const [purchase, ...more] = pixel.events('Purchase');
    assert.deepEqual(more, []);
    assert.equal(purchase?.data, '{"value":1495,"currency":"USD"}');
    assert.match(purchase?.eventId ?? '', /^purchase-pi_\w+$/);
    assert.doesNotMatch(purchase?.eventId ?? '', /secret/);
    const all = decodeURIComponent(pixel.requests.join('\n'));
    assert.doesNotMatch(all, /wilma|hara|555|example\.org|_secret_/i);
  });

  test('R6.1 a letter’s link leads back to the registration, and is not reported to the pixel', async ({
    site,
    pixel,
  }) => {
    const page = await site.open();
    await answer(page, 'granted');
    await steps.walkToPayment(page, 'pixel-letter@example.org');
    await pixel.untilTold('AddToCart');
    const [kept = ''] = await page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.startsWith('unfinished-')),
    );
    const tab = await page.context().newPage();
    // The pixel loads before the stepper has read the link.
    const release = await holdBack(tab, '**/register-section-*');
    pixel.requests.length = 0;
    await tab.goto(
      `${site.product.siteUrl}/?${LETTER_QUERY}=${kept.replace('unfinished-', '')}#register-stepper`,
    );
    await pixel.untilTold('PageView');
    release();
    await steps.expectPaymentStep(tab);
    assert.deepEqual(
      pixel.events().map((event) => event.page),
      [`${site.product.siteUrl}/#register-stepper`],
    );
  });

  test('R6.2 two tabs with one payment report AddToCart and Purchase once, and only the last ids are kept', async ({
    site,
    pixel,
  }) => {
    const page = await site.open();
    const earlier = Array.from({ length: 25 }, (_each, index) => `purchase-pi_${index}`);
    await answer(page, 'granted');
    await page.evaluate((ids) => localStorage.setItem('reported', ids), earlier.join(' '));
    const other = await site.openTab(page);
    await pixel.untilTold('PageView', 2);
    for (const tab of [page, other]) {
      await steps.walkToPayment(tab, 'pixel-tabs@example.org');
      await steps.fillPayment(tab, steps.testCards.succeeds);
    }
    for (const tab of [page, other]) {
      await steps.finish(tab);
      await steps.expectCompletion(tab);
    }
    await other.locator('summary').first().click();
    await pixel.untilTold('FaqOpened');
    assert.equal(pixel.events('AddToCart').length, 1);
    assert.equal(pixel.events('Purchase').length, 1);
    const kept = await page.evaluate(() => localStorage.getItem('reported')?.split(' ') ?? []);
    assert.deepEqual(kept.slice(0, -2), earlier.slice(-18));
    assert.match(kept.slice(-2).join(' '), /^add-to-cart-pi_\w+ purchase-pi_\w+$/);
  });

  test('R6.1 R6.2 consent is withdrawn while the script loads: nothing is reported until it is given again', async ({
    site,
    pixel,
  }) => {
    const page = await site.open();
    const held: Route[] = [];
    await page.route(PIXEL_SCRIPT, (route) => {
      held.push(route);
    });
    await answer(page, 'granted');
    await steps.walkToPayment(page, 'early@example.org');
    await changeAnswer(page, 'denied');
    for (const route of held) await route.fallback();
    await pixel.untilTold('revoke');
    assert.deepEqual(pixel.events(), []);
    assert.deepEqual(await page.context().cookies(), []);

    await changeAnswer(page, 'granted');
    await pixel.untilTold('AddToCart');
    await page.locator('summary').first().click();
    await pixel.untilTold('FaqOpened');
    assert.equal(pixel.events('PageView').length, 1);
    assert.equal(pixel.events('AddToCart').length, 1);
  });
});
