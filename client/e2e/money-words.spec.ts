import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { PHONE } from './run/browser.ts';
import { ONCE, UNPAID } from './run/outcome.ts';
import { test } from './run/test.ts';
import { untilHydrated } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

const NBSP = '\u00a0';
const UNEXPECTED = 'An unexpected error occurred';
const OFFLINE = 'Are you offline? Nothing was charged.';

test.describe('what the page says about money, before and after a payment', () => {
  test.use({ visitor: PHONE });

  test('R2.4 R8 the package card says what is charged after the deposit, and contains both policies', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    const card = page.locator('.package-card');
    const words = (await card.textContent()) ?? '';
    assert.ok(words.includes('By card $1,447.25 in all; by check $1,395'), words);
    assert.ok(words.includes('The deposit is non-refundable.'), words);
    const balance = `The balance of $726.25 is charged to the same card on December${NBSP}21,${NBSP}2025.`;
    assert.ok(words.includes(balance), words);
    const policy = card.getByRole('heading', { name: 'Cancellation Policy' });
    assert.equal(await policy.isVisible(), false);
    await card.getByText('Payment and cancellation policies').click();
    await policy.waitFor();
    assertQuiet();
  });

  test('R8 the footer’s link opens the policies in every step', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
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
    assertQuiet();
  });

  test('R1 tuition is in the navigation, and in the first half of the page', async ({ site }) => {
    const { page, assertQuiet } = await site.open({ width: 1440, height: 900 });
    await untilHydrated(page);
    await page.getByRole('navigation').getByRole('link', { name: 'Tuition' }).click();
    const fact = page.locator('#tuition');
    assert.ok(await fact.isVisible());
    assert.match((await fact.textContent()) ?? '', /\$1,395 by check, or \$1,447\.25 by card: \$721 when/);
    const place = await fact.evaluate(
      (element) => (element.getBoundingClientRect().top + scrollY) / document.body.scrollHeight,
    );
    assert.ok(place < 0.5, `${place}`);
    assertQuiet();
  });

  test('R2.5 the contact step says that nothing is charged, also after a failure', async ({ site }) => {
    const { page } = await site.open();
    await steps.choosePackage(page);
    await page.getByText('Nothing is charged in this step.').waitFor();
    await page.context().setOffline(true);
    await steps.fillContact(page, { ...steps.visitor, email: 'no-network@example.org' });
    await page.getByRole('button', { name: 'Next' }).click();
    await expectOffline(page);
  });

  test('R4.4 after a declined card, and while offline, the page says that nothing was charged; then she pays', async ({
    site,
  }) => {
    const email = 'plain-words@example.org';
    const { page } = await steps.openPayment(site, email);
    assert.equal(await page.locator('.amount-due').textContent(), 'Due now $721');
    await steps.payWith(page, steps.testCards.declined);
    await steps.expectFormError(page, 'Your card was declined.Nothing was charged.');
    await page.context().setOffline(true);
    await steps.finish(page);
    await expectOffline(page);
    assert.deepEqual(await site.countPayments(email), { ...UNPAID, declined: 1 });
    await page.context().setOffline(false);
    await steps.retryWith(page, steps.testCards.succeeds);
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), { ...ONCE, declined: 1 });
  });

  test('R4.4 R4.5 after a lost answer to the confirmation the page does not say that nothing was charged, nor after a retry, which first reads the payment’s state', async ({
    site,
  }) => {
    const email = 'unheard-of@example.org';
    const { page } = await steps.openPayment(site, email);
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
    const { page, assertQuiet } = await steps.openPayment(site, 'half@example.org');
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
    assertQuiet();
  });
});

async function expectOffline(page: Page): Promise<void> {
  await steps.expectFormError(page, `${UNEXPECTED}${OFFLINE}`);
}
