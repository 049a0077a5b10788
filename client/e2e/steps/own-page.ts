import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { linkIn } from '#client/e2e/run/outcome.ts';
import type { Site } from '#client/e2e/run/test.ts';
import { openPayment, pay } from './registration.ts';

export const PROOF = 'Postal code of the card that paid your deposit';

export async function openOwnPage(site: Site, email: string) {
  const registering = await openPayment(site, email);
  await pay(registering);
  await registering.close();
  await site.untilSent('welcome', email);
  const link = linkIn(await site.mailsTo(email), '/place/');
  const page = await site.openEmpty();
  await page.goto(link);
  assert.equal(page.url(), `${site.product.siteUrl}/place`);
  return { page, link };
}

export async function pressPay(page: Page, open = 'Pay $726.25 now', submit = 'Pay $726.25'): Promise<void> {
  await page.getByRole('link', { name: open }).click();
  await page.getByLabel(PROOF).fill('95060');
  await page.getByRole('button', { name: submit, exact: true }).click();
}

export async function goToStripe(page: Page, open = 'Change the card'): Promise<void> {
  await page.getByRole('link', { name: open }).click();
  await page.getByLabel(PROOF).fill('95060');
  await page.getByRole('button', { name: 'Enter the card at Stripe' }).click();
  await page.getByRole('heading', { name: 'Save your card' }).waitFor();
}

export async function enterCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expiration').fill('12 / 34');
  await page.getByLabel('CVC').fill('123');
  await page.getByLabel('Cardholder name').fill('Wilma O’Hara');
  await page.getByLabel('ZIP').fill('95060');
  await page.getByRole('button', { name: 'Save card' }).click();
}
