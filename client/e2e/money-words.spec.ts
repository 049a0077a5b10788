import assert from 'node:assert/strict';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE } from './run/outcome.ts';
import { test } from './run/test.ts';
import { untilHydrated } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

const UNEXPECTED = 'An unexpected error occurred';

test.describe('what the page says about money, before and after a payment', () => {
  test.use({ visitor: PHONE });

  test('R8 the footer’s link opens the policies in every step', async ({ site }) => {
    const page = await site.open();
    const policy = page.getByRole('heading', { name: 'Cancellation Policy' });
    const follow = () => page.locator('footer').getByText('Payment and cancellation policies').click();
    await untilHydrated(page);
    await follow();
    await policy.waitFor();
    await page.locator('.policy-details summary').click();
    await policy.waitFor({ state: 'hidden' });
    await follow();
    await policy.waitFor();
    await steps.choosePackage(page);
    assert.equal(await policy.isVisible(), false);
    await follow();
    await policy.waitFor();
    await page.goto('about:blank');
    await page.goto(`${site.product.siteUrl}/#policies`);
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    await policy.waitFor();
  });

  test('R1 tuition is in the navigation, and in the first half of the page', async ({ site }) => {
    const page = await site.open({ width: 1440, height: 900 });
    await untilHydrated(page);
    await page.getByRole('navigation').getByRole('link', { name: 'Tuition' }).click();
    const fact = page.locator('#tuition');
    assert.ok(await fact.isVisible());
    assert.match((await fact.textContent()) ?? '', /\$1,395 by check, or \$1,447\.25 by card: \$721 when/);
    const place = await fact.evaluate(
      (element) => (element.getBoundingClientRect().top + scrollY) / document.body.scrollHeight,
    );
    assert.ok(place < 0.5, `${place}`);
  });

  test('R2.5 the contact step says that nothing is charged, also after a failure', async ({ site }) => {
    const page = await site.open();
    await steps.choosePackage(page);
    await page.getByText('Nothing is charged in this step.').waitFor();
    expectNoise(page, /network error/);
    await page.context().setOffline(true);
    await steps.fillContact(page, { ...steps.visitor, email: 'no-network@example.org' });
    await page.getByRole('button', { name: 'Next' }).click();
    await steps.expectFormError(page, `${UNEXPECTED}Are you offline? Nothing was charged.`);
  });

  test('R4.4 R4.5 after a lost answer to the confirmation the page does not say that nothing was charged, nor after a retry, which first reads the payment’s state', async ({
    site,
  }) => {
    const email = 'unheard-of@example.org';
    const page = await steps.openPayment(site, email);
    await steps.fillPayment(page, steps.testCards.succeeds);
    await steps.loseConfirmation(page);
    await steps.finish(page);
    const connectionLost = `${UNEXPECTED}The connection was lost while you were paying.`;
    await steps.expectFormError(page, connectionLost);
    await steps.finish(page);
    await page.getByRole('status').filter({ hasText: 'One moment' }).waitFor({ state: 'hidden' });
    await steps.expectFormError(page, connectionLost);
    assert.equal(await page.getByText('Nothing was charged').count(), 0);
    await page.context().setOffline(false);
    let confirmations = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/confirm')) confirmations += 1;
    });
    await steps.finish(page);
    await steps.expectCompletion(page);
    assert.equal(confirmations, 0);
    assert.deepEqual(await site.countPayments(email), ONCE);
  });

  test('R3.2 an incomplete card field shows Stripe’s message, an empty one that it is required', async ({
    site,
  }) => {
    const page = await steps.openPayment(site, 'half@example.org');
    await page.getByText('Your card goes straight to Stripe').waitFor();
    await page.getByLabel('Credit or debit card number').fill('4242 42');
    await page.getByLabel('Credit or debit card expiration date').fill('12 / 20');
    await page.getByLabel('City').focus();
    await steps.finish(page);
    await page.getByText('Your card number is incomplete.').waitFor();
    await page.getByText("Your card's expiration year is in the past.").waitFor();
    await page.getByText('Card CVC is required').waitFor();
    assert.equal(await page.getByText(/Card (number|expiry) is required/).count(), 0);

    await page.getByLabel('Credit or debit card number').fill('');
    await page.getByText('Card number is required').waitFor();
    assert.equal(await page.getByText('Your card number is incomplete.').count(), 0);
    await page.getByLabel('Credit or debit card number').fill(steps.testCards.succeeds);
    await page.getByText('Card number is required').waitFor({ state: 'hidden' });
  });
});
