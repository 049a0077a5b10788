import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { linkIn } from '#client/e2e/run/outcome.ts';
import type { Site } from '#client/e2e/run/test.ts';
import { expectCompletion, openPayment, payWith, testCards, typeCard } from './registration.ts';

/** The label of the field in which she proves who she is. */
export const PROOF = 'Postal code of the card that paid your deposit';

/** Registers somebody, and opens her page by the link of her welcome letter in another browser. */
export async function openOwnPage(
  site: Site,
  email: string,
  { card = testCards.succeeds, authenticates = false } = {},
) {
  const registering = await openPayment(site, email);
  await payWith(registering, card);
  if (authenticates) await registering.getByRole('button', { name: 'Complete authentication' }).click();
  await expectCompletion(registering);
  await registering.close();
  await site.untilSent('welcome', email);
  const link = linkIn(await site.mailsTo(email), '/place/');
  const page = await site.openEmpty();
  await page.goto(link);
  assert.equal(page.url(), `${site.product.siteUrl}/place`);
  return { page, link };
}

/** Types a card into Stripe's fields in a form of her page. */
export async function typeNewCard(
  page: Page,
  act: 'pay' | 'card' | 'take',
  cardNumber: string,
): Promise<void> {
  const form = page.locator(`form[data-act="${act}"]`);
  await typeCard(form, cardNumber);
  await form.getByRole('textbox', { name: 'Postal code', exact: true }).fill('95060');
}

export async function prove(page: Page, act: 'pay' | 'card', typed = '95060'): Promise<void> {
  await page.locator(`form[data-act="${act}"]`).getByLabel(PROOF).fill(typed);
}

/** Opens one of the two forms with card fields, and waits until Stripe's script is loaded. */
export async function openAct(page: Page, name: 'Pay $726.25 now' | 'Change the card'): Promise<void> {
  await page.locator('summary', { hasText: name }).click();
  const submit = name === 'Change the card' ? 'Store this card' : 'Pay $726.25';
  await page.getByRole('button', { name: submit, exact: true }).waitFor();
}
