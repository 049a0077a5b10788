import assert from 'node:assert/strict';
import type { Locator } from '@playwright/test';
import { PHONE } from './run/browser.ts';
import { intentIdOf, ONCE, UNPAID } from './run/payments.ts';
import { type Site, test } from './run/test.ts';
import {
  expectCompletion,
  expectFormError,
  expectPaymentStep,
  fillPayment,
  finish,
  startOver,
  testCards,
  typeCard,
  walkToPayment,
} from './steps/registration.ts';

/** Browsers themselves log responses with status 402, Stripe's for a declined card, and with 400. */
const DECLINE = { except: /status of 40[02]/ };

async function isOnScreen(place: Locator): Promise<boolean> {
  const { y = -1, height = 0 } = (await place.boundingBox()) ?? {};
  return y >= 0 && y + height <= PHONE.height;
}

test.describe('cards that are declined, and 3-D Secure', () => {
  test.use({ visitor: PHONE });

  async function openPayment(site: Site, email: string) {
    const watched = await site.open();
    await walkToPayment(watched.page, email);
    return watched;
  }

  test('R4.4 declined: the page shows the provider’s message, the form stays filled, another card works', {
    tag: '@journey',
  }, async ({ site }) => {
    const email = 'declined@example.org';
    const { page, assertQuiet } = await openPayment(site, email);
    await fillPayment(page, testCards.declined);
    await finish(page);
    await expectFormError(page, 'Your card was declined.');
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

    await typeCard(page, testCards.succeeds);
    await finish(page);
    await expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), { ...ONCE, declined: 1 });
    assertQuiet(DECLINE);
  });

  test('R4.4 each refusal has the provider’s own message', async ({ site }) => {
    const email = 'other-refusals@example.org';
    const { page, assertQuiet } = await openPayment(site, email);
    await fillPayment(page, testCards.withoutFunds);
    for (const [card, words] of [
      [testCards.withoutFunds, 'Your card has insufficient funds.'],
      [testCards.expired, 'Your card has expired.'],
      [testCards.wrongCvc, "Your card's security code is incorrect."],
      [testCards.notProcessed, 'An error occurred while processing your card.'],
    ] as const) {
      await typeCard(page, card);
      await finish(page);
      await expectFormError(page, words);
    }
    await typeCard(page, testCards.succeeds);
    await finish(page);
    await expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), { ...ONCE, declined: 4 });
    assertQuiet(DECLINE);
  });

  test('the fifth declined card closes the payment: the visitor reads whom to call, and can start over', async ({
    site,
  }) => {
    const email = 'five@example.org';
    const { page, assertQuiet } = await openPayment(site, email);
    await fillPayment(page, testCards.declined);
    for (let card = 1; card <= 5; card += 1) {
      const answered = page.waitForResponse((response) => response.url().endsWith('/confirm'));
      await finish(page);
      await answered;
      await expectFormError(page, 'Your card was declined.');
    }
    const intentId = await intentIdOf(email, site.product.sandboxUrl);
    await site.product.untilPrinted(
      `Payment closed after too many declined cards {"paymentIntent":"${intentId}"}`,
      1,
    );
    await typeCard(page, testCards.succeeds);
    await finish(page);
    await expectFormError(page, 'Please call or write to the retreat office');
    assert.deepEqual(await site.countPayments(email), { ...UNPAID, declined: 5 });

    await page.reload();
    await expectPaymentStep(page);
    await expectFormError(page, 'Please call or write to the retreat office');
    await startOver(page);
    await walkToPayment(page, 'afresh@example.org');
    await fillPayment(page, testCards.succeeds);
    await finish(page);
    await expectCompletion(page);
    assert.deepEqual(await site.countPayments('afresh@example.org'), ONCE);
    assertQuiet(DECLINE);
  });

  test('R4.3 3-D Secure: a failed challenge says so, a completed one pays', { tag: '@journey' }, async ({
    site,
  }) => {
    const email = 'challenge@example.org';
    const { page, assertQuiet } = await openPayment(site, email);
    await fillPayment(page, testCards.authenticates);
    await finish(page);
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await expectFormError(page, 'We are unable to authenticate');

    await finish(page);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), ONCE);
    assertQuiet(DECLINE);
  });

  test('R4.3 a card can still be declined after 3-D Secure has succeeded', async ({ site }) => {
    const email = 'passed-declined@example.org';
    const { page } = await openPayment(site, email);
    await fillPayment(page, testCards.declinedAfterAuthentication);
    await finish(page);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await expectFormError(page, 'Your card was declined.');
    assert.deepEqual(await site.countPayments(email), { ...UNPAID, declined: 1 });
  });

  for (const [how, abandon] of [
    ['by a reload', 'reload'],
    ['by closing it', 'close'],
  ] as const) {
    test(`R4.3 3-D Secure is abandoned ${how}: the form keeps what was typed, and she can pay`, async ({
      site,
    }) => {
      const email = `abandoned-${abandon}@example.org`;
      const { page } = await openPayment(site, email);
      await fillPayment(page, testCards.authenticates);
      await finish(page);
      await page.getByRole('button', { name: 'Complete authentication' }).waitFor();
      if (abandon === 'reload') {
        await page.reload();
        await expectPaymentStep(page);
        await page.getByRole('checkbox').check();
      } else {
        await page.keyboard.press('Escape');
        await expectFormError(page, 'We are unable to authenticate');
      }
      assert.equal(await page.getByLabel('Street', { exact: true }).inputValue(), '12 Orchard Lane');
      await typeCard(page, testCards.succeeds);
      await finish(page);
      await expectCompletion(page);
      assert.deepEqual(await site.countPayments(email), ONCE);
    });
  }

  test('R4.5 3-D Secure is completed at the bank while the page reloads: it opens on the completion view', async ({
    site,
  }) => {
    const email = 'at-the-bank@example.org';
    const { page, assertQuiet } = await openPayment(site, email);
    await fillPayment(page, testCards.authenticates);
    await page.route('**/challenge', async (route) => {
      await route.fetch();
      await page.reload();
    });
    await finish(page);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), ONCE);
    assertQuiet();
  });
});
