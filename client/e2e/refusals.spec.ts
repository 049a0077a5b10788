import assert from 'node:assert/strict';
import { CREATE_PAYMENT_PATH, messages } from '#shared/registration.ts';
import { PHONE } from './run/browser.ts';
import { ONCE } from './run/outcome.ts';
import { test } from './run/test.ts';
import { holdBack } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

test.describe('what the visitor sees if the endpoint refuses or fails, or Stripe’s script does not load', () => {
  test.use({ visitor: PHONE });

  test('R4.2 the endpoint fails: the visitor sees an error, stays on the step, and can try again', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    await steps.refuseOnce(page, 502, {
      code: 'payment_provider_error',
      message: 'An unexpected error occurred',
    });
    await steps.submitContact(page, 'failing@example.org');
    await steps.expectFormError(page, 'An unexpected error occurred');
    assert.equal(await page.getByLabel('First name').inputValue(), steps.visitor.firstName);
    await page.getByRole('button', { name: 'Next' }).click();
    await steps.expectPaymentStep(page);
    assertQuiet({ except: /status of 502|failed with status code 502/ });
  });

  test('R4.2 the endpoint is unreachable: the visitor sees an error, and it is logged', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
    await page.route(`**${CREATE_PAYMENT_PATH}`, (route) => route.abort(), steps.UNANSWERED);
    const logged = page.waitForEvent('console', (line) => line.text().includes('network error'));
    await steps.submitContact(page, 'unreachable@example.org');
    await steps.expectFormError(page, 'An unexpected error occurred');
    await logged;
    assertQuiet({ except: /ERR_FAILED|network error/ });
  });

  test('the endpoint’s message is shown if it helps the visitor', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
    const message = 'Registration for this retreat has closed';
    await steps.refuseOnce(page, 409, { code: 'registration_closed', message });
    await steps.submitContact(page, 'refused@example.org');
    await steps.expectFormError(page, message);
    assertQuiet({ except: /status of 409/ });
  });

  test('R2.8 a field that the endpoint refuses gets its error, and the focus', async ({ site }) => {
    const { page } = await site.open();
    const fields = { email: 'A valid email is required' };
    await steps.refuseOnce(page, 400, {
      code: 'invalid_request',
      message: 'Please check your details',
      fields,
    });
    await steps.submitContact(page, 'refused@example.org');
    await page.locator('.field__error').filter({ hasText: fields.email }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'register-email');
  });

  test('R2.8 while it is being submitted the form says so; afterwards the focus is back on the button', async ({
    site,
  }) => {
    const { page } = await site.open();
    const answer = await holdBack(page, `**${CREATE_PAYMENT_PATH}`, (route) => route.abort());
    await steps.submitContact(page, 'working@example.org');
    await page.getByRole('status').filter({ hasText: 'One moment' }).waitFor();
    const next = page.getByRole('button', { name: 'Next' });
    assert.ok(await next.isDisabled());
    answer();
    await steps.expectFormError(page, 'An unexpected error occurred');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Next');
  });

  test('R4.5 after a refusal and a corrected address, only the corrected one is sent', async ({ site }) => {
    const { page } = await site.open();
    const submits = steps.watchSubmits(page);
    const message = 'There were too many registrations. Please try again in a minute';
    await steps.refuseOnce(page, 429, { code: 'too_many_registrations', message });
    await steps.submitContact(page, 'refused-mistyped@example.org');
    await steps.expectFormError(page, message);
    await steps.giveContact(page, { ...steps.visitor, email: 'refused-corrected@example.org' });
    assert.deepEqual(
      submits.map(({ email }) => email),
      ['refused-mistyped@example.org', 'refused-corrected@example.org'],
    );
  });

  test('an extension fills in the hidden field: she sees an error, and the next press succeeds', async ({
    site,
  }) => {
    const { page } = await site.open();
    const submits = steps.watchSubmits(page);
    await steps.choosePackage(page);
    await steps.fillContact(page, { ...steps.visitor, email: 'extended@example.org' });
    const hidden = page.locator('[name=website]');
    const box = await page.locator(':has(> [name=website])').boundingBox();
    assert.ok(box && box.width <= 1 && box.height <= 1, `it is ${box?.width} by ${box?.height} pixels large`);
    assert.equal(await hidden.getAttribute('tabindex'), '-1');
    await hidden.fill('https://extension.example', { force: true });
    await steps.refuseOnce(page, 409, { code: 'looks_automated', message: messages.looksAutomated });
    await page.getByRole('button', { name: 'Next' }).click();
    await steps.expectFormError(page, messages.looksAutomated);
    assert.equal(await hidden.inputValue(), '');

    await hidden.fill('https://extension.example', { force: true });
    await steps.expectFormError(page, messages.looksAutomated);
    await page.getByRole('button', { name: 'Next' }).click();
    await steps.expectPaymentStep(page);
    await page.getByRole('button', { name: 'Back' }).click();
    await hidden.fill('https://extension.example', { force: true });
    await steps.giveContact(page, { ...steps.visitor, email: 'extended-too@example.org' });
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
    await steps.walkToPayment(page, 'blocked@example.org');
    await steps.expectFormError(page, 'Stripe is not ready');
    await steps.giveBillingDetails(page);
    await steps.finish(page);
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
    const { page } = await steps.openPayment(site, 'processing@example.org');
    await steps.fillPayment(page, steps.testCards.succeeds);
    await page.route('**/v1/payment_intents/*', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), status: 'processing' } });
    });
    await steps.finish(page);
    await steps.expectFormError(page, 'you will not be charged twice');
    const { paid } = await site.countPayments('processing@example.org');
    assert.equal(paid, 0);
  });

  test('R4.4 Stripe.js is slow: a skeleton, after ten seconds an error, and a retry that loads it again', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    await page.clock.install();
    await page.route('**/stripe.js', () => {});
    await steps.walkToPayment(page, 'slow@example.org');
    assert.equal(await page.locator('.field__skeleton').count(), 3);
    await steps.giveBillingDetails(page);
    await steps.finish(page);
    await page.getByRole('alert').filter({ hasText: 'Stripe is not ready' }).first().waitFor();
    await page.getByLabel('City').fill('Santa Cruz, CA');
    await page.clock.runFor(10_000);
    await steps.expectFormError(page, 'Stripe is not ready');

    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Credit or debit card number').waitFor();
    assert.equal(await page.getByRole('alert').filter({ hasText: 'Stripe is not ready' }).count(), 0);
    await steps.pay(page);
    assert.deepEqual(await site.countPayments('slow@example.org'), ONCE);
    assertQuiet({ except: /ERR_FAILED/ });
  });
});
