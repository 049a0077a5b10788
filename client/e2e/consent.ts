import type { Page } from 'playwright-core';
import { consentCopy } from '#shared/content/consent.ts';
import { privacyButtons } from '#shared/content/privacy.ts';

export const PIXEL_ID = '1234567890';

/** The question whether the visit may be measured. */
export const consentBar = (page: Page) => page.locator('.consent-bar');

/** Answers it. */
export const answer = (page: Page, given: 'granted' | 'denied') =>
  consentBar(page).getByRole('button', { name: consentCopy[given] }).click();

/** Answers otherwise, in the privacy panel. */
export async function changeAnswer(page: Page, given: 'granted' | 'denied'): Promise<void> {
  await page.getByRole('button', { name: privacyButtons.openWithChoices }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('radio', { name: consentCopy[given] }).check();
  await panel.getByText(consentCopy.choice[given]).waitFor();
  await page.keyboard.press('Escape');
}
