import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import type { Site } from '#client/e2e/run/test.ts';
import { choosePackage, walkToPayment } from './registration.ts';

/**
 * Goes to the payment step, and waits for the letter that confirms her details. Returns its link, which is the same in
 * its text and its HTML.
 */
export async function walkToLetter(page: Page, email: string, site: Site): Promise<string> {
  await walkToPayment(page, email);
  const progress = await page.evaluate(() => sessionStorage.getItem('registration') ?? '');
  await site.product.untilPrinted(`registration-received-${/pi_[^_]+/.exec(progress)?.[0]}`, 1);
  const [mail] = await site.mailsTo(email);
  const link = mail?.text.match(/https?:\S+\?\S+/)?.[0] ?? '';
  assert.ok(mail?.html.includes(`href="${link}"`), mail?.html);
  return link;
}

/** Begins a registration, and checks that nothing is filled in. */
export async function expectEmptyForm(page: Page): Promise<void> {
  await choosePackage(page);
  assert.equal(await page.getByLabel('First name').inputValue(), '');
}

/** The keys in the browser's local storage. */
export function keptInBrowser(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).sort());
}
