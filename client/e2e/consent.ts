import type { Page } from 'playwright-core';
import { consentCopy } from '#shared/content/consent.ts';

export const PIXEL_ID = '1234567890';

/** The question whether the visit may be measured. */
export const consentBar = (page: Page) => page.locator('.consent-bar');

/** Answers it. */
export const answer = (page: Page, given: 'granted' | 'denied') =>
  consentBar(page).getByRole('button', { name: consentCopy[given] }).click();
