import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { registrationCopy } from '#shared/content/registration.ts';
import { CREATE_PAYMENT_PATH, messages, RECORD_CONSENT_PATH, RETREAT_FULL } from '#shared/registration.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE } from './run/outcome.ts';
import { test } from './run/test.ts';
import { holdBack } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

test.describe('what the visitor sees if the endpoint refuses or fails, or Stripe’s script does not load', () => {
  test.use({ visitor: PHONE });

  test('R2.8 R4.2 the endpoint fails or refuses: she sees its words, or those of a field, stays on the step, and can try again', async ({
    site,
  }) => {
    const page = await site.open();
    expectNoise(page, /failed with status code 502/);
    const unexpected = 'An unexpected error occurred';
    await steps.refuseOnce(page, 502, { code: 'payment_provider_error', message: 'Words for nobody' });
    await steps.submitContact(page, 'refused@example.org');
    await steps.expectFormError(page, unexpected);
    const closed = 'Registration for this retreat has closed';
    await steps.refuseOnce(page, 409, { code: 'registration_closed', message: closed });
    await page.getByRole('button', { name: 'Next' }).click();
    await steps.expectFormError(page, closed);
    const fields = { email: 'A valid email is required' };
    await steps.refuseOnce(page, 400, { code: 'invalid_request', message: 'Words for nobody', fields });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.field__error').filter({ hasText: fields.email }).waitFor();
    await expect(page.getByLabel('Email')).toBeFocused();
    assert.equal(await page.getByLabel('First name').inputValue(), steps.visitor.firstName);
    await page.getByRole('button', { name: 'Next' }).click();
    await steps.expectPaymentStep(page);
  });

  test('R2.5 R2.8 R4.2 while it is being submitted the form says so; if the endpoint is unreachable, she sees an error, with the focus back on the button', async ({
    site,
  }) => {
    const page = await site.open();
    expectNoise(page, /network error/);
    const answer = await holdBack(page, `**${CREATE_PAYMENT_PATH}`, (route) => route.abort());
    await steps.submitContact(page, 'unreachable@example.org');
    await page.getByText('Nothing is charged in this step.').waitFor();
    await page.getByRole('status').filter({ hasText: 'One moment' }).waitFor();
    await expect(page.getByRole('button', { name: 'Next' })).toBeDisabled();
    const logged = page.waitForEvent('console', (line) => line.text().includes('network error'));
    answer();
    await steps.expectFormError(page, 'An unexpected error occurredAre you offline? Nothing was charged.');
    await logged;
    await expect(page.getByRole('button', { name: 'Next' })).toBeFocused();
  });

  test('an extension fills in the hidden field: she sees an error, and the next press succeeds', async ({
    site,
  }) => {
    const page = await site.open();
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

  for (const [how, prevent] of [
    ['blocked', (page: Page) => page.route('**/stripe.js', (route) => route.abort(), { times: 1 })],
    [
      'slow',
      async (page: Page) => {
        await page.clock.install();
        await page.route('**/stripe.js', () => {}, { times: 1 });
      },
    ],
  ] as const)
    test(`R4.4 Stripe.js is ${how}: she sees an error, after ten seconds at the latest; a retry brings the card fields, and she pays`, async ({
      site,
    }) => {
      const email = `${how}@example.org`;
      const page = await site.open();
      await prevent(page);
      await steps.walkToPayment(page, email);
      await steps.giveBillingDetails(page);
      await steps.finish(page);
      const errors = page.getByRole('alert').filter({ hasText: 'Stripe is not ready' });
      await errors.first().waitFor();
      if (how === 'slow') await page.clock.runFor(10_000);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByLabel('Credit or debit card number').waitFor();
      await expect(errors).toHaveCount(0);
      assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');
      await steps.pay(page);
      assert.deepEqual(await site.countPayments(email), ONCE);
    });

  test('the place is gone when she pays: she reads so, and her card is not charged', async ({ site }) => {
    const page = await steps.openPayment(site, 'too-late@example.org');
    expectNoise(page, /status of 409/);
    const error = { code: RETREAT_FULL, message: messages.retreatFull };
    await page.route(`**${RECORD_CONSENT_PATH}`, (route) => route.fulfill({ status: 409, json: { error } }));
    await steps.payWith(page, steps.testCards.succeeds);
    await page.getByRole('heading', { name: registrationCopy.full.title }).waitFor();
    await page.locator('#register-stepper').getByText('Nothing was charged').first().waitFor();
    assert.equal((await site.countPayments('too-late@example.org')).paid, 0);
  });

  test('the bank is still processing a payment: the visitor is told to wait, and not charged again', async ({
    site,
  }) => {
    const page = await steps.openPayment(site, 'processing@example.org');
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
});
