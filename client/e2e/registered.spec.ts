import assert from 'node:assert/strict';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { expectCompletion, pay, walkToPayment } from './steps/registration.ts';

const NBSP = '\u00a0';

test.describe('the page of a registrant who has paid', () => {
  test.use({ visitor: PHONE });

  test('R2.7 shows what happens next, with dates, calendar and office; nothing asks her to reserve, also after a reload', async ({
    site,
  }) => {
    const page = await site.open();
    assert.ok((await page.getByRole('link', { name: /^Reserve/ }).count()) > 2);
    await walkToPayment(page, 'what-next@example.org');
    await pay(page);
    // The screen shows the completion view from its beginning.
    await page.waitForFunction(() => {
      const words = document.querySelector('.completion [role="status"]')?.getBoundingClientRect();
      return words !== undefined && words.top >= 0 && words.bottom <= innerHeight;
    });

    const completion = page.locator('.completion');
    const words = (await completion.textContent()) ?? '';
    for (const date of ['December 21, 2025', 'January 15, 2026', 'January 21, 2026', 'January 22, 2026']) {
      assert.ok(words.includes(date.replaceAll(' ', NBSP)), `${date} is missing: ${words}`);
    }
    assert.match(words, /The balance of \$726\.25 is charged to the same card/);
    assert.equal(await completion.getByRole('link', { name: '+1 (555) 555-0100' }).count(), 1);
    const calendar = await completion.getByRole('link', { name: /calendar/ }).getAttribute('href');
    const file = await page.request.get(new URL(calendar ?? '', site.product.siteUrl).href);
    assert.match(file.headers()['content-type'] ?? '', /^text\/calendar/);

    const expectReserved = async () => {
      await page.getByRole('link', { name: 'Your place is reserved' }).first().waitFor();
      await page.getByRole('banner').getByRole('link', { name: 'Your place', exact: true }).waitFor();
      await page.waitForLoadState();
      assert.equal(await page.getByRole('link', { name: /^Reserve/ }).count(), 0);
      assert.equal(await page.locator('.phone-bar').isVisible(), false);
    };
    await expectReserved();
    await page.reload({ waitUntil: 'commit' });
    await expectReserved();
    await page.locator('#register-stepper').scrollIntoViewIfNeeded();
    await expectCompletion(page);

    await page.getByRole('button', { name: 'Register another person' }).click();
    await page.getByRole('link', { name: 'Reserve your spot now' }).first().waitFor();
  });
});
