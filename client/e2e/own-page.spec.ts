import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { expectNoise, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { enterCard, goToStripe, openOwnPage, PROOF, pressPay } from './steps/own-page.ts';
import { openPayment, pay, testCards } from './steps/registration.ts';

const DEPOSIT = 72_100;
const BALANCE = 72_625;

const MASTERCARD = '5555 5555 5555 4444';

const news = (page: Page) => page.locator('.place-news');

async function expectPaid(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
  assert.equal(await news(page).textContent(), 'Thank you. Your payment has arrived.');
  assert.equal(await page.getByRole('link', { name: /^Pay / }).count(), 0);
}

test.describe('her page', () => {
  test.use({ visitor: PHONE });

  test('right after the payment it opens from the completion view, read-only', async ({ site }) => {
    const page = await openPayment(site, 'opens-at-once@example.org');
    await pay(page);
    await page.getByRole('button', { name: 'Open your page' }).click();
    await page.getByRole('heading', { name: 'Your place, Wilma' }).waitFor();
    await page.getByText('Open the link in your welcome e-mail to pay').waitFor();
    assert.equal(await page.locator('.letter-list form').count(), 0);
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

  test('R1.15 she pays with the card on file after proving her identity, pressing twice: it is charged once; no script but the theme’s', {
    tag: '@journey',
  }, async ({ site }) => {
    const email = 'pays-early@example.org';
    const { page } = await openOwnPage(site, email);
    assert.equal(await page.locator('script').count(), 1);
    await page.getByRole('link', { name: 'Pay $726.25 now' }).click();
    const submit = page.getByRole('button', { name: 'Pay $726.25', exact: true });
    await page.getByLabel(PROOF).fill('10001');
    await submit.click();
    await page.getByRole('alert').getByText('This does not match the postal code of the card').waitFor();
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT]);
    await page.getByRole('link', { name: 'Back to your page' }).click();
    await page.getByRole('link', { name: 'Pay $726.25 now' }).click();
    await page.getByLabel(PROOF).fill('95060');
    await submit.dblclick();
    await expectPaid(page);
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT, BALANCE]);
    await page.reload();
    await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
    assert.equal(await news(page).count(), 0);
    // The form is not shown again: there is nothing to pay.
    await page.goBack();
    await page.getByRole('heading', { name: 'Everything is paid' }).waitFor();
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT, BALANCE]);
    await page.getByRole('link', { name: 'Receipts, to print or keep' }).click();
    await page.getByRole('heading', { name: 'Receipt for the balance' }).waitFor();
    expectNoise(page, /status of 422/);
  });

  test('she gives another card at Stripe: one is declined there, she goes back and forth, and her bank wants her; then she pays with it', {
    tag: '@journey',
  }, async ({ site }) => {
    const email = 'another-card@example.org';
    const { page } = await openOwnPage(site, email);
    await goToStripe(page);
    await enterCard(page, testCards.declined);
    await page.getByRole('alert').getByText('Your card was declined.').waitFor();
    // Back leads to the form, not to the page on the way, which would lead forth again.
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByText('charged to your Visa ending in 4242').first().waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Save your card' }).waitFor();
    await enterCard(page, testCards.authenticates);
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await page.getByRole('alert').waitFor();
    await enterCard(page, testCards.authenticates);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await page.getByText('Your new card is stored. Nothing was charged by that.').waitFor();
    await page.getByText('Visa ending in 3220').first().waitFor();
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT]);

    await pressPay(page);
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await page.getByText('Your bank did not get your confirmation, so nothing was charged.').waitFor();
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT]);
    await pressPay(page);
    await page.getByRole('heading', { name: 'Your bank' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Pay $726.25', exact: true }).waitFor();
    await page.goForward();
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await expectPaid(page);
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT, BALANCE]);
  });

  test('without JavaScript all of it works, also cards', async ({ site }) => {
    const email = 'without-script@example.org';
    const { link } = await openOwnPage(site, email);
    const page = await site.openEmpty({ javaScriptEnabled: false });
    await page.goto(link);
    await page.getByText('The balance of $726.25 is charged to your Visa').waitFor();
    await goToStripe(page);
    await enterCard(page, MASTERCARD);
    await page.getByText('Your new card is stored.').waitFor();
    await pressPay(page);
    await expectPaid(page);
    assert.deepEqual(await site.chargesOf(email), [DEPOSIT, BALANCE]);
    await expect(page.getByText('Mastercard')).toHaveCount(0);
  });
});
