import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { PHONE } from './run/browser.ts';
import { type Site, test } from './run/test.ts';
import { holdBack } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

test.describe('typing on a phone', () => {
  test.use({ visitor: PHONE });

  async function openContactStep(site: Site) {
    const page = await site.open();
    await steps.choosePackage(page);
    return page;
  }

  async function openPaymentStep(site: Site, email: string) {
    const page = await openContactStep(site);
    await steps.fillContact(page, { ...steps.visitor, email });
    await goOn(page);
    return page;
  }

  test('R2.5 a mistyped mail domain: the right one is suggested once the field is left, and a press inserts it; an ignored one does not stop her', async ({
    site,
  }) => {
    const page = await openContactStep(site);
    const email = page.getByLabel('Email');
    const suggestion = page.getByRole('button', { name: 'Did you mean wilma@gmail.com?', exact: true });
    await email.fill('wilma@gmial.com');
    assert.equal(await suggestion.count(), 0);
    const positionsBefore = await positionsOfControls(page);
    await email.press('Tab');
    await suggestion.waitFor();
    assert.deepEqual(await positionsOfControls(page), positionsBefore);
    assert.equal(await page.locator('[aria-live="polite"]').filter({ has: suggestion }).count(), 1);

    await suggestion.click();
    assert.equal(await email.inputValue(), 'wilma@gmail.com');
    assert.equal(await focusedId(page), 'register-email');
    const suggestions = page.getByRole('button', { name: /Did you mean/ });
    for (const [address, suggested] of [
      ['wilma@gmail.com', 0],
      ['wilma@@gmial.com', 0],
      ['wilma@gmial.com', 1],
    ] as const) {
      await email.fill(address);
      await email.press('Tab');
      await expect(suggestions, address).toHaveCount(suggested);
    }
    await steps.fillContact(page, { ...steps.visitor, email: 'wilma@gmial.com' });
    await goOn(page);
  });

  test('R2.5 R2.6 R2.8 Enter submits the forms from every text field', async ({ site }) => {
    const page = await openContactStep(site);
    await page.getByLabel('First name').press('Enter');
    await page.getByText('First name is required').waitFor();
    for (const label of ['Last name', 'Email', 'Phone']) {
      await page.getByLabel(label).press('Enter');
      assert.equal(await focusedId(page), 'register-firstName', label);
    }
    await steps.fillContact(page, { ...steps.visitor, email: 'enter@example.org' });
    await page.getByLabel('Last name').press('Enter');
    await steps.expectPaymentStep(page);

    await page.getByLabel('Credit or debit card number').waitFor();
    await page.getByLabel('Cardholder name').fill('');
    const labels = [
      'Cardholder name',
      'Street',
      'Street, line 2 (optional)',
      'City',
      'State/Province',
      'Postal code',
    ];
    for (const label of labels) {
      await page.getByLabel(label, { exact: true }).press('Enter');
      await page.getByText('Please read the terms first').waitFor();
      assert.equal(await focusedId(page), 'register-billingName', label);
    }
  });

  test('R2.5 R2.6 R3.2 each field has its keyboard and its autofill, and says whether it is required', async ({
    site,
  }) => {
    const name = { type: 'text', autocapitalize: 'words', spellcheck: 'false', enterkeyhint: 'next' };
    const email = { type: 'email', inputmode: 'email', autocapitalize: 'off', autocorrect: 'off' };
    const phone = { type: 'tel', inputmode: 'tel', enterkeyhint: 'go' };
    const page = await openContactStep(site);
    const required = { 'aria-required': 'true' };
    await expectAttributes(page, 'First name', { ...name, ...required, autocomplete: 'given-name' });
    await expectAttributes(page, 'Last name', { ...name, ...required, autocomplete: 'family-name' });
    await expectAttributes(page, 'Email', {
      ...email,
      ...required,
      autocomplete: 'email',
      spellcheck: 'false',
    });
    await expectAttributes(page, 'Phone', { ...phone, ...required, autocomplete: 'tel' });
    await steps.fillContact(page, { ...steps.visitor, email: 'attributes@example.org' });
    await goOn(page);
    for (const [label, autocomplete] of [
      ['Cardholder name', 'cc-name'],
      ['Street', 'billing address-line1'],
      ['City', 'billing address-level2'],
      ['State/Province', 'billing address-level1'],
      ['Postal code', 'billing postal-code'],
      ['Country', 'billing country'],
    ] as const)
      await expectAttributes(page, label, { ...required, autocomplete });
    const second = { autocomplete: 'billing address-line2', 'aria-required': 'false' };
    await expectAttributes(page, 'Street, line 2 (optional)', second);
    await expectAttributes(page, 'Postal code', { enterkeyhint: 'done' });
    await expect(page.getByRole('checkbox')).toHaveAttribute('aria-required', 'true');
  });

  test('R2.6 the country is hers to choose; the fields after it use its terms', async ({ site }) => {
    const page = await openPaymentStep(site, 'zurich@example.org');
    const country = page.getByLabel('Country');
    assert.equal(await country.inputValue(), '');
    await country.selectOption('CH');
    assert.deepEqual(await page.locator('.address-fields .field__label').allTextContents(), [
      'Street',
      'Street, line 2 (optional)',
      'Country',
      'City',
      'Canton (optional)',
      'Postal code',
    ]);
    await country.selectOption('IE');
    await page.getByRole('button', { name: 'Back' }).click();
    await goOn(page);
    assert.equal(await country.inputValue(), 'IE');
  });

  test('R2.6 R4.3 a browser that tells nothing of her: the payment step opens, no zone is sent, and she pays from anywhere', async ({
    site,
  }) => {
    const page = await site.openEmpty();
    await page.addInitScript(() => {
      const { resolvedOptions } = Intl.DateTimeFormat.prototype;
      Intl.DateTimeFormat.prototype.resolvedOptions = function () {
        return Object.assign(resolvedOptions.call(this), { timeZone: undefined });
      };
      Object.defineProperty(navigator, 'languages', { value: undefined });
      Object.defineProperty(navigator, 'sendBeacon', { value: undefined });
      for (const storage of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, storage, { value: null });
    });
    await page.goto(site.product.siteUrl);
    const submits = steps.watchSubmits(page);
    const email = 'tells-nothing@example.org';
    await steps.choosePackage(page);
    await steps.giveContact(page, { ...steps.visitor, email: `\u202amailto:${email}\u202c` });
    assert.deepEqual(
      submits.map((sent) => [sent.email, sent.timeZone]),
      [[email, '']],
    );
    assert.equal(await page.getByLabel('Country').inputValue(), '');

    await steps.fillPayment(page, steps.testCards.succeeds);
    await page.getByLabel('Country').selectOption('JP');
    await page.getByLabel('Prefecture').fill('東京都\u3000');
    await page.getByLabel('City').fill('\u200b港区');
    await page.getByLabel('Postal code').fill('１０６－００３２');
    await page.getByRole('button', { name: 'Finish' }).click();
    await steps.expectCompletion(page);
    const intent = await site.stripe.paymentIntents.retrieve(await site.intentIdOf(email));
    const method = await site.stripe.paymentMethods.retrieve(String(intent.payment_method));
    const { country, state, city, postal_code } = method.billing_details.address ?? {};
    assert.deepEqual([country, state, city, postal_code], ['JP', '東京都', '港区', '106-0032']);
  });

  test('R2.6 the cardholder’s name follows a corrected name until it is edited', async ({ site }) => {
    const page = await openPaymentStep(site, 'corrected-name@example.org');
    const billingName = page.getByLabel('Cardholder name');
    assert.equal(await billingName.inputValue(), 'Wilma O’Hara');
    await correctLastName(page, 'Okafor');
    assert.equal(await billingName.inputValue(), 'Wilma Okafor');

    await billingName.fill('W. Okafor-Lindqvist');
    await correctLastName(page, 'Lindqvist');
    assert.equal(await billingName.inputValue(), 'W. Okafor-Lindqvist');
  });

  test('R2.6 while Stripe loads, the space of its fields is reserved and nothing moves afterwards', async ({
    site,
  }) => {
    const page = await openContactStep(site);
    const release = await holdBack(page, '**/stripe.js');
    await steps.fillContact(page, { ...steps.visitor, email: 'slow-fields@example.org' });
    await goOn(page);
    const skeletons = page.locator('.field__skeleton');
    assert.equal(await skeletons.count(), 3);
    assert.equal(await page.locator('.field__skeleton[aria-hidden="true"]').count(), 3);
    const positionsBefore = await positionsOfControls(page);

    release();
    await page.getByLabel('Credit or debit card number').waitFor();
    assert.equal(await skeletons.count(), 0);
    assert.deepEqual(await positionsOfControls(page), positionsBefore);
  });
});

async function goOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Next' }).click();
  await steps.expectPaymentStep(page);
}

async function correctLastName(page: Page, lastName: string): Promise<void> {
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByLabel('Last name').fill(lastName);
  await goOn(page);
}

async function expectAttributes(page: Page, label: string, expected: Record<string, string>): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  for (const [name, value] of Object.entries(expected)) {
    assert.equal(await field.getAttribute(name), value, `${label}: ${name}`);
  }
}

/** The vertical positions of the step's controls and buttons in the page. */
function positionsOfControls(page: Page): Promise<number[]> {
  return page
    .locator('#register-stepper :is(.field__control, .button)')
    .evaluateAll((controls) =>
      controls.map((control) => Math.round(control.getBoundingClientRect().top + window.scrollY)),
    );
}

function focusedId(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.id);
}
