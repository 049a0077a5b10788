import assert from 'node:assert/strict';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { goToMoment, openOwnPage } from './steps/place.ts';

// Not the shared product: the test moves its clock.
test.use({ productEnv: {}, visitor: PHONE });

test.describe('the life of a registration that is cancelled after the charge', () => {
  const email = 'cancelled-life@example.org';

  test('her page shows her refund, she cancels in time, and gets exactly that', async ({ site }) => {
    const { page, link, assertQuiet } = await openOwnPage(site, email);
    const sandbox = await site.openEmpty();
    await sandbox.page.goto(site.product.sandboxUrl);
    await goToMoment(sandbox.page, 'the balance is announced');
    await site.product.untilPrinted('Mail sent {"job":"balance-notice-', 1);
    await goToMoment(sandbox.page, 'the balance is charged');
    await site.product.untilPrinted('Mail sent {"job":"balance-paid-', 1);

    await page.reload();
    await page.getByRole('link', { name: 'Cancel your place' }).click();
    await page.getByText('$700 goes back to your Visa ending in 4242').waitFor();
    await page.getByText('11:59').waitFor();
    await page.getByLabel('Postal code of the card that paid your deposit').fill('95060');
    await page.getByRole('button', { name: 'Cancel my place' }).click();
    await page.getByRole('heading', { name: 'Your place is cancelled' }).waitFor();
    await site.product.untilPrinted('Mail sent {"job":"cancel-received-', 1);
    assert.deepEqual(await site.refundsOf(email), []);

    await goToMoment(sandbox.page, 'the test session begins');
    await site.product.untilPrinted('Mail sent {"job":"cancelled-', 1);
    assert.deepEqual(await site.refundsOf(email), [facts.prices.balanceBeforeFeeCents]);
    await page.goto(link);
    await page.getByText('$700 was sent back to your Visa ending in 4242').waitFor();
    await page.getByText('Given back to you').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Take it back, and keep my place' }).count(), 0);
    assertQuiet();
  });
});
