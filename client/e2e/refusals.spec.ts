import assert from 'node:assert/strict';
import { CREATE_PAYMENT_PATH, messages } from '#shared/registration.ts';
import { PHONE } from './run/browser.ts';
import { ONCE } from './run/payments.ts';
import { test } from './run/test.ts';
import {
  choosePackage,
  expectCompletion,
  expectFormError,
  expectPaymentStep,
  fillContact,
  fillPayment,
  finish,
  giveBillingDetails,
  giveContact,
  refuseOnce,
  submitContact,
  testCards,
  UNANSWERED,
  visitor,
  walkToPayment,
  watchSubmits,
} from './steps/registration.ts';

test.describe('what the visitor sees if the endpoint refuses or fails, or Stripe’s script does not load', () => {
  test.use({ visitor: PHONE });

  test('R4.2 the endpoint fails: the visitor sees an error, stays on the step, and can try again', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    await refuseOnce(page, 502, { code: 'payment_provider_error', message: 'An unexpected error occurred' });
    await submitContact(page, 'failing@example.org');
    await expectFormError(page, 'An unexpected error occurred');
    assert.equal(await page.getByLabel('First name').inputValue(), visitor.firstName);
    await page.getByRole('button', { name: 'Next' }).click();
    await expectPaymentStep(page);
    assertQuiet({ except: /status of 502|failed with status code 502/ });
  });

  test('R4.2 the endpoint is unreachable: the visitor sees an error, and it is logged', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
    await page.route(`**${CREATE_PAYMENT_PATH}`, (route) => route.abort(), UNANSWERED);
    const logged = page.waitForEvent('console', (line) => line.text().includes('network error'));
    await submitContact(page, 'unreachable@example.org');
    await expectFormError(page, 'An unexpected error occurred');
    await logged;
    assertQuiet({ except: /ERR_FAILED|network error/ });
  });

  for (const [status, code, message] of [
    [429, 'too_many_registrations', 'There were too many registrations. Please try again in 8 minutes'],
    [409, 'registration_closed', 'Registration for this retreat has closed'],
  ] as const) {
    test(`the endpoint’s message is shown if it helps the visitor: ${code}`, async ({ site }) => {
      const { page, assertQuiet } = await site.open();
      await refuseOnce(page, status, { code, message });
      await submitContact(page, 'refused@example.org');
      await expectFormError(page, message);
      assertQuiet({ except: /status of 4/ });
    });
  }

  test('R2.8 a field that the endpoint refuses gets its error, and the focus', async ({ site }) => {
    const { page } = await site.open();
    const fields = { email: 'A valid email is required' };
    await refuseOnce(page, 400, { code: 'invalid_request', message: 'Please check your details', fields });
    await submitContact(page, 'refused@example.org');
    await page.locator('.field__error').filter({ hasText: fields.email }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'register-email');
  });

  test('R4.2 the package is no longer offered: the visitor sees an error, and it is logged', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    const fields = { package: 'This package is not offered' };
    await refuseOnce(page, 422, { code: 'unknown_package', message: 'This package is not offered', fields });
    await submitContact(page, 'offered-no-more@example.org');
    await expectFormError(page, 'An unexpected error occurred');
    assertQuiet({ except: /status of 422|RegistrationRefused/ });
  });

  test('R2.8 while it is being submitted the form says so; afterwards the focus is back on the button', async ({
    site,
  }) => {
    const { page } = await site.open();
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(`**${CREATE_PAYMENT_PATH}`, async (route) => {
      await held;
      await route.abort();
    });
    await submitContact(page, 'working@example.org');
    await page.getByRole('status').filter({ hasText: 'One moment' }).waitFor();
    const next = page.getByRole('button', { name: 'Next' });
    assert.ok(await next.isDisabled());
    answer();
    await expectFormError(page, 'An unexpected error occurred');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Next');
  });

  test('R4.5 after a refusal and a corrected address, only the corrected one is sent', async ({ site }) => {
    const { page } = await site.open();
    const submits = watchSubmits(page);
    const message = 'There were too many registrations. Please try again in a minute';
    await refuseOnce(page, 429, { code: 'too_many_registrations', message });
    await submitContact(page, 'refused-mistyped@example.org');
    await expectFormError(page, message);
    await giveContact(page, { ...visitor, email: 'refused-corrected@example.org' });
    assert.deepEqual(
      submits.map(({ email }) => email),
      ['refused-mistyped@example.org', 'refused-corrected@example.org'],
    );
  });

  test('an extension fills in the hidden field: she sees an error, and the next press succeeds', async ({
    site,
  }) => {
    const { page } = await site.open();
    const submits = watchSubmits(page);
    await choosePackage(page);
    await fillContact(page, { ...visitor, email: 'extended@example.org' });
    const hidden = page.locator('[name=website]');
    const box = await page.locator(':has(> [name=website])').boundingBox();
    assert.ok(box && box.width <= 1 && box.height <= 1, `it is ${box?.width} by ${box?.height} pixels large`);
    assert.equal(await hidden.getAttribute('tabindex'), '-1');
    await hidden.fill('https://extension.example', { force: true });
    await refuseOnce(page, 409, { code: 'looks_automated', message: messages.looksAutomated });
    await page.getByRole('button', { name: 'Next' }).click();
    await expectFormError(page, messages.looksAutomated);
    assert.equal(await hidden.inputValue(), '');

    await hidden.fill('https://extension.example', { force: true });
    await expectFormError(page, messages.looksAutomated);
    await page.getByRole('button', { name: 'Next' }).click();
    await expectPaymentStep(page);
    await page.getByRole('button', { name: 'Back' }).click();
    await hidden.fill('https://extension.example', { force: true });
    await giveContact(page, { ...visitor, email: 'extended-too@example.org' });
    assert.deepEqual(
      submits.map(({ website }) => website),
      ['https://extension.example', '', ''],
    );
  });

  test('R4.4 Stripe.js is blocked: the visitor sees an error, and a successful retry brings the card fields', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    await page.route('**/stripe.js', (route) => route.abort());
    await walkToPayment(page, 'blocked@example.org');
    await expectFormError(page, 'Stripe is not ready');
    await giveBillingDetails(page);
    await finish(page);
    const errors = page.getByRole('alert').filter({ hasText: 'Stripe is not ready' });
    await errors.nth(1).waitFor();

    await page.unroute('**/stripe.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Credit or debit card number').waitFor();
    assert.equal(await page.getByRole('alert').filter({ hasText: 'Stripe is not ready' }).count(), 0);
    assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');
    assertQuiet({ except: /ERR_FAILED/ });
  });

  test('the bank is still processing a payment: the visitor is told to wait, and not charged again', async ({
    site,
  }) => {
    const { page } = await site.open();
    await walkToPayment(page, 'processing@example.org');
    await fillPayment(page, testCards.succeeds);
    await page.route('**/v1/payment_intents/*', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), status: 'processing' } });
    });
    await finish(page);
    await expectFormError(page, 'you will not be charged twice');
    const { paid } = await site.countPayments('processing@example.org');
    assert.equal(paid, 0);
  });

  test('R4.4 Stripe.js is slow: a skeleton, after ten seconds an error, and a retry that loads it again', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    await page.clock.install();
    await page.route('**/stripe.js', () => {});
    await walkToPayment(page, 'slow@example.org');
    assert.equal(await page.locator('.field__skeleton').count(), 3);
    await giveBillingDetails(page);
    await finish(page);
    await page.getByRole('alert').filter({ hasText: 'Stripe is not ready' }).first().waitFor();
    await page.getByLabel('City').fill('Santa Cruz, CA');
    await page.clock.runFor(10_000);
    await expectFormError(page, 'Stripe is not ready');

    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Credit or debit card number').waitFor();
    assert.equal(await page.getByRole('alert').filter({ hasText: 'Stripe is not ready' }).count(), 0);
    await fillPayment(page, testCards.succeeds);
    await finish(page);
    await expectCompletion(page);
    assert.deepEqual(await site.countPayments('slow@example.org'), ONCE);
    assertQuiet({ except: /ERR_FAILED/ });
  });
});
