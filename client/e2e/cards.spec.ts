import assert from 'node:assert/strict';
import type { Locator, Page } from '@playwright/test';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE } from './run/outcome.ts';
import { test } from './run/test.ts';
import * as steps from './steps/registration.ts';

/** Browsers themselves log responses with status 402, Stripe's for a declined card, and with 400. */
const DECLINE = /status of 40[02]/;

async function isOnScreen(place: Locator): Promise<boolean> {
  const { y = -1, height = 0 } = (await place.boundingBox()) ?? {};
  return y >= 0 && y + height <= PHONE.height;
}

/** Types another card and submits the payment step again. */
async function retryWith(page: Page, cardNumber: string): Promise<void> {
  await steps.typeCard(page, cardNumber);
  await steps.finish(page);
}

test.describe('cards that are declined, and 3-D Secure', () => {
  test.use({ visitor: PHONE });

  test('R4.4 declined: the page shows the provider’s message, the form stays filled, another card works; nothing typed is printed', {
    tag: '@journey',
  }, async ({ site }) => {
    const email = 'declined@example.org';
    const page = await steps.openPayment(site, email);
    await steps.payWith(page, steps.testCards.declined);
    await steps.expectFormError(page, 'Your card was declined.Nothing was charged.');
    const cardNumber = page.locator('#register-cardNumber');
    for (const shown of [page.getByText('Your card was declined.'), cardNumber])
      assert.ok(await isOnScreen(shown), 'message and card fields are not on one screen');
    assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');
    assert.ok(await page.getByRole('checkbox').isChecked());
    const help = page.locator('.form-help');
    assert.equal(await help.getByRole('link', { name: '+1 (555) 555-0100' }).count(), 1);

    await page.getByRole('button', { name: 'Use another card' }).click();
    const number = page.getByLabel('Credit or debit card number');
    assert.equal(await number.inputValue(), '');
    assert.ok(await number.evaluate((input) => input.matches(':focus')));
    assert.ok(await isOnScreen(cardNumber));
    assert.equal(await page.getByText('Card number is required').count(), 0);

    await retryWith(page, steps.testCards.withoutFunds);
    await steps.expectFormError(page, 'Your card has insufficient funds.');
    await retryWith(page, steps.testCards.succeeds);
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), { ...ONCE, declined: 2 });
    await site.untilSent('welcome', email);
    const { firstName, lastName, phoneNumber } = steps.visitor;
    const cards = [steps.testCards.declined, steps.testCards.succeeds];
    for (const typed of [
      firstName,
      lastName,
      phoneNumber,
      email,
      steps.billingAddress.line1,
      steps.billingAddress.city,
      '_secret_',
      ...cards,
      ...cards.map((card) => card.replaceAll(' ', '')),
    ])
      assert.equal(site.product.output().includes(typed), false, `${typed} was printed`);
    expectNoise(page, DECLINE);
  });

  test('R4.3 3-D Secure: a failed challenge says so, a completed one pays', { tag: '@journey' }, async ({
    site,
  }) => {
    const email = 'challenge@example.org';
    const page = await steps.openPayment(site, email);
    await steps.payWith(page, steps.testCards.authenticates);
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await steps.expectFormError(page, 'We are unable to authenticate');

    await steps.finish(page);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), ONCE);
    expectNoise(page, DECLINE);
  });

  test('R4.3 3-D Secure is abandoned by a reload, then by closing it: the form keeps what was typed, and she can pay', async ({
    site,
  }) => {
    const email = 'abandoned@example.org';
    const page = await steps.openPayment(site, email);
    await steps.payWith(page, steps.testCards.authenticates);
    await page.getByRole('button', { name: 'Complete authentication' }).waitFor();
    await page.reload();
    await steps.expectPaymentStep(page);
    await page.getByRole('checkbox').check();
    await retryWith(page, steps.testCards.authenticates);
    await page.getByRole('button', { name: 'Complete authentication' }).waitFor();
    await page.keyboard.press('Escape');
    await steps.expectFormError(page, 'We are unable to authenticate');
    expectNoise(page, DECLINE);
    assert.equal(await page.getByLabel('Street', { exact: true }).inputValue(), '12 Orchard Lane');
    await retryWith(page, steps.testCards.succeeds);
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), ONCE);
  });

  test('R4.5 3-D Secure is completed at the bank while the page reloads: it opens on the completion view', async ({
    site,
  }) => {
    const email = 'at-the-bank@example.org';
    const page = await steps.openPayment(site, email);
    await steps.fillPayment(page, steps.testCards.authenticates);
    await page.route('**/challenge', async (route) => {
      await route.fetch();
      await page.reload();
    });
    await steps.finish(page);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), ONCE);
  });
});
