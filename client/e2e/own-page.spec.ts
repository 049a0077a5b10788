import assert from 'node:assert/strict';
import { expect, type Locator, type Page } from '@playwright/test';
import { ownPagePaths } from '#shared/own-page.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { openAct, openOwnPage, prove, typeNewCard } from './steps/own-page.ts';
import { loseConfirmation, openPayment, pay, testCards } from './steps/registration.ts';

const DEPOSIT = 72_100;
const BALANCE = 72_625;

/** Requires 3-D Secure for its first payment. */
const ASKS_FIRST = '4000 0025 0000 3155';
const MASTERCARD = '5555 5555 5555 4444';
const DISCOVER = '6011 1111 1111 1117';

const payButton = (page: Page) => page.getByRole('button', { name: 'Pay $726.25', exact: true });
const news = (page: Page) => page.locator('.place-news');

/** A message that a script gives the focus to shows it as what is tabbed to does. */
async function expectRing(message: Locator): Promise<void> {
  await expect(message).toBeFocused();
  await expect(message).toHaveCSS('outline', /solid 3px$/);
  await expect(message).toHaveCSS('outline-offset', '3px');
}

async function expectPaid(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
  assert.equal(await news(page).textContent(), 'Thank you. Your payment has arrived.');
  assert.equal(await page.locator('form[data-act]').count(), 0);
}

test.describe('her page', () => {
  test.use({ visitor: PHONE });

  test('right after the payment it opens from the completion view, read-only', async ({ site }) => {
    const page = await openPayment(site, 'opens-at-once@example.org');
    await pay(page);
    await page.getByRole('button', { name: 'Open your page' }).click();
    await page.getByRole('heading', { name: 'Your place, Wilma' }).waitFor();
    await page.getByText('Open the link in your welcome e-mail to pay').waitFor();
    assert.equal(await page.locator('form[data-act], .letter-list form').count(), 0);
    await page.getByRole('button', { name: 'Leave this page' }).click();
    await page.goto(`${site.product.siteUrl}/place`);
    await page.getByRole('heading', { name: 'The way to your page' }).waitFor();
    const address = page.getByLabel('Your e-mail address');
    await address.fill('a@b@example.org');
    await page.getByRole('button', { name: 'Send me a new link' }).click();
    assert.ok(await address.evaluate((input) => input.matches(':focus:invalid')));
    await address.fill('mailto:\u200bnobody＠example.org');
    await page.getByRole('button', { name: 'Send me a new link' }).click();
    await page.getByText('Thank you. If there is a place').waitFor();
  });

  test('she pays with the card on file after proving her identity, pressing twice: it is charged once, and the message is gone after a reload', {
    tag: '@journey',
  }, async ({ site }) => {
    const email = 'pays-early@example.org';
    const { page } = await openOwnPage(site, email);
    await openAct(page, 'Pay $726.25 now');
    const alert = page.locator('form[data-act="pay"]').getByRole('alert');
    await payButton(page).click();
    await page.getByText('Please fill this in, so that we know it is you').waitFor();
    await prove(page, 'pay', '10001');
    await payButton(page).click();
    await alert.getByText('This does not match the postal code of the card that paid your deposit').waitFor();
    await alert.getByText('Nothing was charged.').waitFor();
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT]);
    await prove(page, 'pay');
    await payButton(page).dblclick();
    await expectPaid(page);
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'place-news');
    await expectRing(news(page));
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT, BALANCE]);
    await page.reload();
    await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
    assert.equal(await news(page).count(), 0);
    await page.getByRole('link', { name: 'Receipts, to print or keep' }).click();
    await page.getByRole('heading', { name: 'Receipt for the balance' }).waitFor();
    expectNoise(page, /status of 422/);
  });

  test('another card is declined, and she reads so; the next one requires 3-D Secure, which fails first, then succeeds', async ({
    site,
  }) => {
    const email = 'another-card@example.org';
    const { page } = await openOwnPage(site, email);
    await openAct(page, 'Pay $726.25 now');
    await page.getByLabel('Another card').check();
    await page.getByRole('link', { name: 'Receipts, to print or keep' }).click();
    await page.getByRole('heading', { name: 'Receipts', exact: true }).waitFor();
    await page.goBack();
    await openAct(page, 'Pay $726.25 now');
    await prove(page, 'pay');
    assert.equal(
      await page.getByLabel('Another card').isChecked(),
      await page.locator('[data-field="cardNumber"]').first().isVisible(),
    );
    // Some browsers restore her choice without an event for scripts.
    await page.getByLabel('Another card').evaluate((radio: HTMLInputElement) => {
      radio.checked = true;
    });
    await payButton(page).click();
    await page.getByText('Card number is required').waitFor();
    await page.getByText('Security code is required').waitFor();

    await typeNewCard(page, 'pay', testCards.declined);
    await payButton(page).click();
    const alert = page.locator('form[data-act="pay"]').getByRole('alert');
    await alert.getByText('Your card was declined.').waitFor();
    await expectRing(alert);
    await alert.getByText('Nothing was charged.').waitFor();

    await typeNewCard(page, 'pay', ASKS_FIRST);
    await payButton(page).click();
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await alert.getByText('Nothing was charged.').waitFor();
    await payButton(page).click();
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await expectPaid(page);
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT, -BALANCE, BALANCE]);
    expectNoise(page, /status of 40[02]/);
  });

  test('the answer to a payment is lost: the next press finds the payment, and she does not pay twice', async ({
    site,
  }) => {
    const email = 'lost-balance-answer@example.org';
    const { page } = await openOwnPage(site, email);
    await openAct(page, 'Pay $726.25 now');
    await prove(page, 'pay');
    await loseConfirmation(page);
    await payButton(page).click();
    const alert = page.locator('form[data-act="pay"]').getByRole('alert');
    await alert.getByText('you will not be charged twice').waitFor();
    assert.doesNotMatch((await alert.textContent()) ?? '', /Nothing was charged/);
    await page.context().setOffline(false);
    await payButton(page).click();
    await expectPaid(page);
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT, BALANCE]);
  });

  test('offline, or with Stripe’s script blocked, she reads so and nothing is charged; afterwards she can pay', async ({
    site,
  }) => {
    const email = 'kept-away@example.org';
    const { page } = await openOwnPage(site, email);
    const scripts = `${site.product.sandboxUrl}/**`;
    await page.route(scripts, (route) => route.abort());
    await page.locator('summary', { hasText: 'Pay $726.25 now' }).click();
    const alert = page.locator('form[data-act="pay"]').getByRole('alert');
    await alert.getByText('could not be loaded').waitFor();
    await alert.getByText('Nothing was charged.').waitFor();
    await page.unroute(scripts);
    await page.getByRole('button', { name: 'Try again' }).click();
    await payButton(page).waitFor();
    await prove(page, 'pay');

    await page.context().setOffline(true);
    await payButton(page).click();
    await alert.getByText('Are you offline?').waitFor();
    await page.context().setOffline(false);
    await payButton(page).click();
    await expectPaid(page);
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT, BALANCE]);
  });

  test('she changes the card after proving her identity: the page shows it, and she pays with it', async ({
    site,
  }) => {
    const email = 'changes-card@example.org';
    const { page } = await openOwnPage(site, email);
    await openAct(page, 'Change the card');
    await prove(page, 'card', '10001');
    await typeNewCard(page, 'card', MASTERCARD);
    const store = page.getByRole('button', { name: 'Store this card' });
    await store.click();
    const alert = page.locator('form[data-act="card"]').getByRole('alert');
    await alert.getByText('This does not match the postal code of the card that paid your deposit').waitFor();
    await prove(page, 'card');
    await page.route(`**${ownPagePaths.cardStored}`, (route) => route.abort(), { times: 2 });
    await store.click();
    await alert.getByText('before we could note it').waitFor();
    await typeNewCard(page, 'card', DISCOVER);
    await store.click();
    await alert.getByText('before we could note it').waitFor();
    await store.click();
    await page.getByText('Your new card is stored. Nothing was charged.').waitFor();
    await page.getByText('Discover ending in 1117').first().waitFor();
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT]);

    await openAct(page, 'Pay $726.25 now');
    await prove(page, 'pay');
    await payButton(page).click();
    await expectPaid(page);
    expectNoise(page, /status of 422/);
  });

  test('without JavaScript, or if its script fails to load, it works except for cards, for which it refers her to the office', {
    tag: '@journey',
  }, async ({ site }) => {
    const { page: scripted, link } = await openOwnPage(site, 'without-script@example.org');
    await scripted.route('**/entry.own-page*', (route) => route.abort());
    await scripted.reload();
    await scripted.locator('summary', { hasText: 'Pay $726.25 now' }).click();
    await scripted.getByText('Giving a card needs JavaScript').first().waitFor();
    assert.equal(await scripted.getByText('One moment').first().isVisible(), false);

    const page = await site.openEmpty({ javaScriptEnabled: false });
    await page.goto(link);
    await page.getByText('The balance of $726.25 is charged to your Visa').waitFor();
    await page.locator('summary', { hasText: 'Pay $726.25 now' }).click();
    await page.getByText('Giving a card needs JavaScript').first().waitFor();
    assert.equal(await payButton(page).isVisible(), false);
    await page.getByRole('button', { name: /^Send again: Welcome/ }).click();
    await page.getByText('The message is on its way to you.').waitFor();
  });
});
