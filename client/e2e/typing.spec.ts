import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { PHONE } from './run/browser.ts';
import { type Site, test } from './run/test.ts';
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
    await expectAttributes(page, {
      'First name': { ...name, autocomplete: 'given-name' },
      'Last name': { ...name, autocomplete: 'family-name' },
      Email: { ...email, autocomplete: 'email', spellcheck: 'false' },
      Phone: { ...phone, autocomplete: 'tel' },
    });
    await steps.fillContact(page, { ...steps.visitor, email: 'attributes@example.org' });
    await goOn(page);
    await expectAttributes(page, {
      'Cardholder name': { autocomplete: 'cc-name' },
      Street: { autocomplete: 'billing address-line1' },
      'Street, line 2 (optional)': { autocomplete: 'billing address-line2', 'aria-required': 'false' },
      City: { autocomplete: 'billing address-level2' },
      'State/Province': { autocomplete: 'billing address-level1' },
      'Postal code': { autocomplete: 'billing postal-code', enterkeyhint: 'done' },
      Country: { autocomplete: 'billing country' },
    });
    await expect(page.getByRole('checkbox')).toHaveAttribute('aria-required', 'true');
  });

  test('R2.6 the country is hers to choose; which fields after it are required follows from it', async ({
    site,
  }) => {
    const page = await openPaymentStep(site, 'zurich@example.org');
    const country = page.getByLabel('Country');
    assert.equal(await country.inputValue(), '');
    await country.selectOption('CH');
    assert.deepEqual(await page.locator('.address-fields .field__label').allTextContents(), [
      'Street',
      'Street, line 2 (optional)',
      'Country',
      'City',
      'State/Province (optional)',
      'Postal code',
    ]);
    await country.selectOption('IE');
    await page.getByRole('button', { name: 'Back' }).click();
    await goOn(page);
    assert.equal(await country.inputValue(), 'IE');
  });
});

async function goOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Next' }).click();
  await steps.expectPaymentStep(page);
}

/** Of the fields with these labels, which are required unless said otherwise. */
async function expectAttributes(page: Page, fields: Record<string, Record<string, string>>): Promise<void> {
  for (const [label, expected] of Object.entries(fields))
    for (const [name, value] of Object.entries({ 'aria-required': 'true', ...expected })) {
      const field = page.getByLabel(label, { exact: true });
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
