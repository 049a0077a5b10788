import assert from 'node:assert/strict';
import { expect, type Locator } from '@playwright/test';
import { test } from './run/test.ts';
import * as steps from './steps/registration.ts';

test.describe('the registration stepper', () => {
  test('R2.8 R3.1 R3.5 contact: no errors before fields are touched; a press out of a wrong field counts, and focuses the first error', {
    tag: '@journey',
  }, async ({ site }) => {
    const page = await site.open();
    await steps.choosePackage(page);
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

  test('R2.8 R3.2 R3.3 payment: errors after a submit only, focus on the card number', {
    tag: '@journey',
  }, async ({ site }) => {
    const page = await steps.openPayment(site, 'errors@example.org');
    await page.getByLabel('Credit or debit card number').waitFor();
    await page.getByLabel('Country').selectOption('');
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
    assert.equal(await page.getByLabel('Credit or debit card number').inputValue(), '4242');
  });

  test('R2.1 R2.10 each step’s data is merged under the specification’s names', { tag: '@journey' }, async ({
    site,
  }) => {
    const page = await steps.openPayment(site, 'names@example.org');
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
  });

  test('R2.6 R2.7 the payment step shows the details once more, the selection and the policies', async ({
    site,
  }) => {
    const page = await steps.openPayment(site, 'details@example.org');
    const details = (await page.locator('.confirm-details').textContent()) ?? '';
    for (const words of ['Wilma', 'O’Hara', 'details@example.org', 'January 2026 Online Retreat Deposit']) {
      assert.ok(details.includes(words), `the details do not say ${words}`);
    }
    for (const heading of [
      'Registration Payment Policy',
      'Cancellation Policy',
      'Audio and video recording',
    ]) {
      await page.getByRole('heading', { name: heading }).waitFor();
    }
    const policies = page.locator('.policies');
    for (const words of ['$695', '$721', '$726.25', 'non-refundable', 'you consent to the recording'])
      assert.ok(await policies.getByText(words).first().isVisible(), words);
    const inWriting = policies.getByText('Cancellations must be made in writing');
    assert.equal(await inWriting.isVisible(), false);
    await policies.getByText('Rest of the Cancellation Policy').click();
    await inWriting.waitFor();
  });

  test('R2.1 each step begins with the focus on its heading, which says which of the three steps it is', async ({
    site,
  }) => {
    const page = await site.open();
    const heading = (name: string) => page.getByRole('heading', { name, exact: true });
    await heading('Step 1 of 3 Select Package').waitFor();
    await steps.choosePackage(page);
    await expectFocus(heading('Step 2 of 3 Contact info'));
    await steps.giveContact(page, { ...steps.visitor, email: 'headings@example.org' });
    await expectFocus(heading('Step 3 of 3 Payment & Confirmation'));
    await page.getByRole('button', { name: 'Back' }).click();
    await expectFocus(heading('Step 2 of 3 Contact info'));
    await page.getByRole('button', { name: 'Back' }).click();
    await expectFocus(heading('Step 1 of 3 Select Package'));
  });

  test('R2.1 R2.6 a button beside the details leads back to them, and what was typed below is kept', async ({
    site,
  }) => {
    const page = await steps.openPayment(site, 'change@example.org');
    await page.getByLabel('City').fill('Santa Cruz');
    await page.getByRole('button', { name: 'Change your information', exact: true }).press('Enter');
    await expectFocus(page.getByRole('heading', { name: 'Step 2 of 3 Contact info' }));
    await page.getByLabel('First name').fill('Wilhelmina');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.confirm-details').getByText('Wilhelmina').waitFor();
    assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');
    assert.equal(await page.getByLabel('Cardholder name').inputValue(), 'Wilhelmina O’Hara');
  });
});

/** Waits until an element has the focus, on screen. */
async function expectFocus(element: Locator): Promise<void> {
  await expect(element).toBeFocused();
  await expect(element).toBeInViewport({ ratio: 1 });
}
