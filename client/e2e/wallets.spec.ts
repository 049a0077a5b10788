import assert from 'node:assert/strict';
import { expect, type Page, type Route } from '@playwright/test';
import { messages } from '#shared/registration.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE, UNPAID } from './run/outcome.ts';
import { type Site, test } from './run/test.ts';
import * as steps from './steps/registration.ts';

/** The button, and what is in the wallet's sheet. */
const walletOf = (page: Page) => page.getByRole('button', { name: 'Pay with the test wallet' });
const sheetOf = (page: Page) => page.getByRole('dialog', { name: 'Test wallet' });

/** Opens the payment step on a device whose wallet has a card, and agrees to the terms. */
async function openWithWallet(
  site: Site,
  email: string,
  cardNumber: string,
  { agrees = true } = {},
): Promise<Page> {
  const page = await site.openEmpty();
  await page.addInitScript(
    (number) => {
      window.sandboxWallet = number;
    },
    cardNumber.replaceAll(' ', ''),
  );
  await page.goto(site.product.siteUrl);
  await steps.walkToPayment(page, email);
  await walletOf(page).waitFor();
  if (agrees) await page.getByRole('checkbox').check();
  return page;
}

async function confirmSheet(page: Page, sum = '$721.00'): Promise<void> {
  await walletOf(page).click();
  await sheetOf(page)
    .getByRole('button', { name: `Pay ${sum}` })
    .click();
}

test.describe('one press of a wallet', () => {
  test.use({ visitor: PHONE });

  test('R3.3 R4.3 opens its sheet only with the tick at the terms, and pays without anything else of the form', async ({
    site,
  }) => {
    const email = 'wallet@example.org';
    const page = await openWithWallet(site, email, steps.testCards.succeeds, { agrees: false });
    const tick = page.getByRole('checkbox');
    await walletOf(page).click();
    await page.getByText(messages.termsAgreement).waitFor();
    assert.ok(await tick.evaluate((input) => input.matches(':focus')));
    await expect(tick).toBeInViewport();
    assert.equal(await sheetOf(page).count(), 0);
    assert.equal(await page.locator('.field__error:not(:empty)').count(), 1);

    await tick.check();
    const agreed = page.waitForRequest('**/recordConsent');
    const confirmed = page.waitForRequest('**/confirm');
    await confirmSheet(page);
    await agreed;
    const confirmation = new URLSearchParams((await confirmed).postData() ?? '');
    assert.equal(confirmation.get('setup_future_usage'), 'off_session');
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), ONCE);
    const intent = await site.stripe.paymentIntents.retrieve(await site.intentIdOf(email));
    const method = await site.stripe.paymentMethods.retrieve(String(intent.payment_method));
    const { name, email: hers, address } = method.billing_details;
    assert.deepEqual(
      [name, hers, address?.line1, address?.postal_code],
      ['Walda Wallet', email, '7 Pocket Street', '94601'],
    );
  });

  test('R4.4 whose card is declined says so at the form; the sheet can be closed, and a card typed', async ({
    site,
  }) => {
    const email = 'wallet-declined@example.org';
    const page = await openWithWallet(site, email, steps.testCards.declined);
    await confirmSheet(page);
    await steps.expectFormError(page, 'Your card was declined.Nothing was charged.');
    expectNoise(page, /status of 402/);
    await expect(sheetOf(page)).toHaveCount(0);
    await walletOf(page).click();
    await sheetOf(page).getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await site.countPayments(email), { ...UNPAID, declined: 1 });
    await steps.pay(page);
    assert.deepEqual(await site.countPayments(email), { ...ONCE, declined: 1 });
  });

  test('R4.1 R4.4 asks for the present sum, and finds a payment whose confirmation was not heard', async ({
    site,
  }) => {
    const email = 'wallet-unheard@example.org';
    const page = await openWithWallet(site, email, steps.testCards.succeeds);
    await site.chargeInstead(email, 75_050);
    await confirmSheet(page);
    await steps.expectFormError(page, messages.amountChanged);
    await steps.loseConfirmation(page);
    await confirmSheet(page, '$750.50');
    await steps.expectFormError(page, 'you will not be charged twice');
    await page.unroute('**/confirm');
    await page.context().setOffline(false);
    await confirmSheet(page, '$750.50');
    await page.locator('.completion').waitFor();
    assert.deepEqual(await site.countPayments(email), ONCE);
  });

  test('R4.4 is given up if the consent takes longer than its sheet stays open, and nothing is charged', async ({
    site,
  }) => {
    const email = 'wallet-waits@example.org';
    const page = await openWithWallet(site, email, steps.testCards.succeeds);
    expectNoise(page, /ConsentNotRecorded/);
    await page.clock.install();
    // The sheet has been open for 19 s when the payment's state arrives, and for 1 s more when the consent is sent.
    const slowly = (route: Route) => page.clock.fastForward(19_000).then(() => route.continue());
    await page.route('**/payment_intents/*', slowly, { times: 1 });
    await page.route('**/recordConsent', () => page.clock.fastForward(1000));
    await confirmSheet(page);
    await steps.expectFormError(page, 'Nothing was charged.');
    assert.deepEqual(await site.countPayments(email), UNPAID);
  });
});
