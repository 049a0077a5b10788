import assert from 'node:assert/strict';
import { expect, type Locator, type Page } from '@playwright/test';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { holdBack } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

test.describe('the registration stepper', () => {
  test('R2.5 R2.8 R3.1 R3.5 contact: no errors before fields are touched; a press out of a wrong field counts, and focuses the first error', {
    tag: '@journey',
  }, async ({ site }) => {
    const page = await site.open();
    await steps.choosePackage(page);
    assert.deepEqual(await page.locator('.contact-fields .field__label').allTextContents(), [
      'First name',
      'Last name',
      'Email',
      'Phone',
    ]);
    const errors = page.locator('.field__error:not(:empty)');
    assert.equal(await errors.count(), 0);
    await page.getByLabel('First name').fill('Wilma');
    await page.getByLabel('Email').fill('wilma@');
    await page.getByRole('button', { name: 'Next' }).click();
    assert.deepEqual(await errors.allTextContents(), [
      'Last name is required',
      'A valid email is required',
      'Phone is required',
    ]);
    await expect(page.getByLabel('Last name')).toBeFocused();
  });

  test('R2.8 R3.2 R3.3 payment: errors after a submit only, focus on the card number; an incomplete field shows Stripe’s message', {
    tag: '@journey',
  }, async ({ site }) => {
    const page = await steps.openPayment(site, 'errors@example.org');
    await page.getByLabel('Credit or debit card number').waitFor();
    await steps.finish(page);
    assert.deepEqual(await page.locator('.field__error:not(:empty)').allTextContents(), [
      'Card number is required',
      'Card expiry is required',
      'Card CVC is required',
      'Street is required',
      'Card country is required',
      'City is required',
      'State or province is required',
      'Card postal code is required',
      'Please read the terms first',
    ]);
    await page.keyboard.type('4242');
    const number = page.getByLabel('Credit or debit card number');
    assert.equal(await number.inputValue(), '4242');
    await page.getByLabel('Credit or debit card expiration date').fill('12 / 20');
    await page.getByLabel('City').focus();
    await page.getByText('Your card number is incomplete.').waitFor();
    await page.getByText("Your card's expiration year is in the past.").waitFor();
    await page.getByText('Card CVC is required').waitFor();
    assert.equal(await page.getByText(/Card (number|expiry) is required/).count(), 0);

    await number.fill('');
    await page.getByText('Card number is required').waitFor();
    assert.equal(await page.getByText('Your card number is incomplete.').count(), 0);
    await number.fill(steps.testCards.succeeds);
    await page.getByText('Card number is required').waitFor({ state: 'hidden' });
  });

  test('R2.1 R2.6 R2.7 R2.10 one walk: each step begins at its heading, and the last shows what was entered, which can be changed', {
    tag: '@journey',
  }, async ({ site }) => {
    const page = await site.open();
    const heading = (name: string) => page.getByRole('heading', { name, exact: true });
    await heading('Step 1 of 3 Select Package').waitFor();
    await steps.choosePackage(page);
    await expectFocus(heading('Step 2 of 3 Contact info'));
    await steps.giveContact(page, { ...steps.visitor, email: 'names@example.org' });
    await expectFocus(heading('Step 3 of 3 Payment & Confirmation'));

    // Under the specification's names.
    const kept = await page.evaluate(() => sessionStorage.getItem('registration') ?? '');
    const { activeStep, skipped, data } = JSON.parse(kept);
    assert.deepEqual({ activeStep, skipped }, { activeStep: 2, skipped: { 0: false, 1: false } });
    const { paymentIntentClientSecret, idempotencyKey, ...stored } = data;
    assert.match(paymentIntentClientSecret, /^pi_\w+_secret_/);
    assert.deepEqual(stored, {
      package: 'january_2026_retreat',
      liveStreamingPass: 'January 2026 Online Retreat Deposit',
      ...steps.visitor,
      email: 'names@example.org',
      amountCents: 72_100,
      confirmationMail: 'queued',
    });

    const details = (await page.locator('.confirm-details').textContent()) ?? '';
    for (const words of ['Wilma', 'O’Hara', 'names@example.org', 'January 2026 Online Retreat Deposit'])
      assert.ok(details.includes(words), `the details do not say ${words}`);
    await page.getByText('Your card number goes straight to Stripe').waitFor();
    await expectSums(page, ['Today$721', 'December\u00a021$726.25', 'In all$1,447.25']);
    const zone = page.getByText(/time zone/i);
    assert.equal(await page.locator('#register-stepper').filter({ has: zone }).count(), 0);
    const policies = page.locator('.policies');
    for (const name of ['Registration Payment Policy', 'Cancellation Policy', 'Audio and video recording'])
      await page.getByRole('heading', { name }).waitFor();
    for (const words of ['$695', '$721', '$726.25', 'non-refundable', 'you consent to the recording'])
      assert.ok(await policies.getByText(words).first().isVisible(), words);
    const inWriting = policies.getByText('Cancellations must be made in writing');
    assert.equal(await inWriting.isVisible(), false);
    await policies.getByText('Rest of the Cancellation Policy').click();
    await inWriting.waitFor();

    await page.getByLabel('City').fill('Santa Cruz');
    await page.getByRole('button', { name: 'Change your information', exact: true }).press('Enter');
    await expectFocus(heading('Step 2 of 3 Contact info'));
    await page.getByLabel('First name').fill('Wilhelmina');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.confirm-details').getByText('Wilhelmina').waitFor();
    assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');
    assert.equal(await page.getByLabel('Cardholder name').inputValue(), 'Wilhelmina O’Hara');
    for (const name of ['Step 2 of 3 Contact info', 'Step 1 of 3 Select Package']) {
      await page.getByRole('button', { name: 'Back' }).click();
      await expectFocus(heading(name));
    }
  });

  test('R2.7 shows what happens next, with dates, calendar and office; nothing asks her to reserve, also after a reload', async ({
    site,
  }) => {
    const page = await site.open(PHONE);
    assert.ok((await page.getByRole('link', { name: /^Reserve/ }).count()) > 2);
    await steps.walkToPayment(page, 'what-next@example.org');
    await steps.pay(page);
    // The screen shows the completion view from its beginning.
    await page.waitForFunction(() => {
      const words = document.querySelector('.completion [role="status"]')?.getBoundingClientRect();
      return words !== undefined && words.top >= 0 && words.bottom <= innerHeight;
    });

    const completion = page.locator('.completion');
    await completion.getByText('The balance of $726.25 is charged to the same card').waitFor();
    await completion.getByText('December\u00a021, 2025').first().waitFor();
    assert.equal(await completion.getByRole('link', { name: '+1 (555) 555-0100' }).count(), 1);
    assert.equal(
      await completion.getByRole('link', { name: /calendar/ }).getAttribute('href'),
      '/retreat.ics',
    );

    const expectReserved = async () => {
      await page.getByRole('link', { name: 'Your place is reserved' }).first().waitFor();
      await page.getByRole('banner').getByRole('link', { name: 'Your place', exact: true }).waitFor();
      await page.waitForLoadState();
      assert.equal(await page.getByRole('link', { name: /^Reserve/ }).count(), 0);
      await page.getByRole('heading', { name: 'Your place is reserved', exact: true }).waitFor();
      assert.equal(await page.getByRole('heading', { name: 'Reserve your place' }).count(), 0);
      assert.equal(await page.locator('.phone-bar').isVisible(), false);
      await page.locator('main').evaluate((main) => {
        for (const answer of main.querySelectorAll('details')) answer.open = true;
      });
      await expect(page.locator('main')).not.toContainText(/\breserve\b/i, { useInnerText: true });
    };
    const expectWelcome = async () => {
      await expect(completion).toContainText(/^Come in, Wilma\.Your transaction has been completed/);
      await expect(completion.locator('.completion__email')).toHaveText('what-next@example.org');
    };
    await expectReserved();
    await expectWelcome();
    await page.reload({ waitUntil: 'commit' });
    await expectReserved();
    await page.locator('#register-stepper').scrollIntoViewIfNeeded();
    await steps.expectCompletion(page);
    await expectWelcome();
    await completion.getByRole('button', { name: 'Change your e-mail address' }).click();
    await page.getByText('We write to what-next@example.org.').waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'Register another person' }).click();
    await page.getByRole('link', { name: 'Reserve your spot now' }).first().waitFor();
  });
});

test.describe('R2.1 starting over', () => {
  test.use({ visitor: { width: 360, height: 740 } });

  const button = (page: Page) => page.getByRole('button', { name: 'Start over' });

  test('asks as soon as a word is typed, focuses the harmless answer, keeps everything after a no, and deletes it after a yes', async ({
    site,
  }) => {
    const page = await site.open();
    await steps.choosePackage(page);
    await button(page).click();
    await page.getByRole('heading', { name: 'Step 1 of 3 Select Package' }).waitFor();
    await steps.choosePackage(page);
    await page.getByLabel('First name').fill(steps.visitor.firstName);
    const question = page.getByRole('dialog', { name: 'Start over?' });
    const no = question.getByRole('button', { name: 'No, keep it' });
    for (const decline of [() => no.press('Enter'), () => page.keyboard.press('Escape')]) {
      await button(page).press('Enter');
      await expect(no).toBeFocused();
      await decline();
      await question.waitFor({ state: 'hidden' });
      await expect(button(page)).toBeFocused();
    }
    assert.equal(await page.getByLabel('First name').inputValue(), steps.visitor.firstName);
    await steps.giveContact(page, { ...steps.visitor, email: 'asked@example.org' });

    await steps.startOver(page);
    await page.locator('.step-heading:focus').getByText('Select Package').waitFor({ state: 'attached' });
    const kept = await page.evaluate(() => [Object.keys(sessionStorage), Object.keys(localStorage)]);
    assert.deepEqual(kept, [[], [`registration-key-${facts.id}`]]);
    await steps.choosePackage(page);
    assert.equal(await page.getByLabel('First name').inputValue(), '');
  });

  test('R4.5 she cannot pay while the page asks Stripe whether the payment was made', async ({ site }) => {
    const page = await site.open();
    await steps.walkToPayment(page, 'asking@example.org');
    await page.getByLabel('Credit or debit card number').waitFor();
    const release = await holdBack(page, '**/v1/payment_intents/*');
    const asked = page.waitForRequest('**/v1/payment_intents/*');
    await steps.startOver(page);
    await asked;
    await page.locator('button:disabled', { hasText: 'Finish' }).waitFor();
    release();
    await page.getByRole('heading', { name: 'Step 1 of 3 Select Package' }).waitFor();
  });
});

/** Checks what is due today, later and in all, above the button that pays. */
async function expectSums(page: Page, sums: readonly string[]): Promise<void> {
  await expect(page.locator('.amount-due > div')).toHaveText(sums);
}

/** Waits until an element has the focus, on screen. */
async function expectFocus(element: Locator): Promise<void> {
  await expect(element).toBeFocused();
  await expect(element).toBeInViewport({ ratio: 1 });
}
