import { expect, type Locator, type Page } from '@playwright/test';
import { expectNoise } from '#client/e2e/run/browser.ts';
import type { Site } from '#client/e2e/run/test.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { CREATE_PAYMENT_PATH, type CreatePaymentRequest, type ErrorResponse } from '#shared/registration.ts';
import { expectWholeWords } from './looks.ts';

export const testCards = {
  succeeds: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  /** Can be stored; each charge is declined. */
  declinesLater: '4000 0000 0000 0341',
  withoutFunds: '4000 0000 0000 9995',
  authenticates: '4000 0000 0000 3220',
};

export const visitor = {
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
};

export const billingAddress = {
  line1: '12 Orchard Lane',
  line2: null,
  city: 'Santa Cruz',
  state: 'CA',
  postal_code: '95060',
  country: 'US',
};

/** The section with the steps. To search the whole page for an element takes several times as long. */
const stepper = (page: Page) => page.locator('#register-stepper');

export async function choosePackage(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Reserve your spot now' }).first().click();
  await stepper(page).getByRole('button', { name: 'Reserve your spot now' }).click();
  await stepper(page).getByRole('heading', { name: 'Get started now' }).waitFor();
}

export async function giveContact(
  page: Page,
  contact = visitor,
  expectNext = expectPaymentStep,
): Promise<void> {
  await fillContact(page, contact);
  await stepper(page).getByRole('button', { name: 'Next' }).click();
  await expectNext(page);
}

export async function fillContact(page: Page, contact: typeof visitor): Promise<void> {
  const step = stepper(page);
  await step.getByLabel('First name').fill(contact.firstName);
  await step.getByLabel('Last name').fill(contact.lastName);
  await step.getByLabel('Email').fill(contact.email);
  await step.getByLabel('Phone').fill(contact.phoneNumber);
}

export async function submitContact(page: Page, email: string): Promise<void> {
  await choosePackage(page);
  await giveContact(page, { ...visitor, email }, async () => {});
}

export async function refuseOnce(page: Page, status: number, error: ErrorResponse['error']): Promise<void> {
  expectNoise(page, new RegExp(`status of ${status}`));
  await page.route(`**${CREATE_PAYMENT_PATH}`, (route) => route.fulfill({ status, json: { error } }), {
    times: 1,
  });
}

/** How often the page sends an unanswered request, including its automatic retries, before it shows an error. */
export const UNANSWERED = { times: 3 };

export function watchSubmits(page: Page): CreatePaymentRequest[] {
  const submits: CreatePaymentRequest[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(CREATE_PAYMENT_PATH)) submits.push(request.postDataJSON());
  });
  return submits;
}

export async function expectPaymentStep(page: Page): Promise<void> {
  await stepper(page).getByRole('heading', { name: 'Confirm your information is correct' }).waitFor();
}

export async function typeCard(form: Page | Locator, cardNumber: string): Promise<void> {
  // Also valid if the clock of the sandbox is years ahead.
  const expiryYear = new Date().getUTCFullYear() + 10;
  await form.getByLabel('Credit or debit card number').fill(cardNumber);
  await form.getByLabel('Credit or debit card expiration date').fill(`12 / ${expiryYear % 100}`);
  await form.getByLabel('Credit or debit card CVC/CVV').fill('123');
}

export async function giveBillingDetails(page: Page): Promise<void> {
  const step = stepper(page);
  await expect(step.getByLabel('Cardholder name')).toHaveValue(`${visitor.firstName} ${visitor.lastName}`);
  await step.getByLabel('Street', { exact: true }).fill(billingAddress.line1);
  await step.getByLabel('City').fill(billingAddress.city);
  await step.getByLabel(/^State/).fill(billingAddress.state);
  await step.getByLabel('Postal code').fill(billingAddress.postal_code);
  await step.getByLabel('Country').selectOption(billingAddress.country);
  await step.getByRole('checkbox', { name: registrationCopy.payment.termsAgreement }).check();
}

export async function walkToPayment(page: Page, email: string): Promise<void> {
  await submitContact(page, email);
  await expectPaymentStep(page);
}

export async function openPayment(site: Site, email: string, ...options: Parameters<Site['open']>) {
  const page = await site.open(...options);
  await walkToPayment(page, email);
  return page;
}

export async function fillPayment(page: Page, cardNumber: string): Promise<void> {
  await typeCard(page, cardNumber);
  await giveBillingDetails(page);
}

export async function expectWholeWordsOnTheWay(
  page: Page,
  email: string,
  widths: readonly number[],
): Promise<void> {
  const look = () => expectWholeWords(page, '#register-stepper', widths);
  await look();
  await choosePackage(page);
  await stepper(page).getByRole('button', { name: 'Next' }).click();
  await look();
  await giveContact(page, { ...visitor, email });
  await finish(page);
  await look();
  await pay(page);
  await look();
}

export async function expectFormError(page: Page, words: string): Promise<void> {
  await page.getByRole('alert').filter({ hasText: words }).waitFor();
}

/** Lets the next confirmation of the payment reach Stripe, but takes the network down before the answer arrives. */
export async function loseConfirmation(page: Page): Promise<void> {
  expectNoise(page, /ProviderUnreachable/);
  await page.route('**/confirm', async (route) => {
    await route.fetch();
    await page.context().setOffline(true);
    await route.abort();
  });
}

export async function finish(page: Page): Promise<void> {
  await stepper(page).getByRole('button', { name: 'Finish' }).click();
}

export async function startOver(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start over' }).click();
  await page
    .getByRole('dialog', { name: 'Start over?' })
    .getByRole('button', { name: 'Yes, forget it' })
    .click();
}

export async function expectCompletion(page: Page): Promise<void> {
  const completion = stepper(page).locator('.completion');
  await expect(completion).toContainText('Your transaction has been completed. Welcome to the retreat.');
  await expect(completion).toContainText('$721 in US dollars');
}

export async function payWith(page: Page, cardNumber: string): Promise<void> {
  await fillPayment(page, cardNumber);
  await finish(page);
}

export async function pay(page: Page): Promise<void> {
  await payWith(page, testCards.succeeds);
  await expectCompletion(page);
}
