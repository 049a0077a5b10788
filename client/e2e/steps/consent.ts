import assert from 'node:assert/strict';
import type { Locator, Page } from '@playwright/test';
import { consentCopy } from '#shared/content/consent.ts';
import { privacyButtons } from '#shared/content/privacy.ts';

/** The question whether the visit may be measured. */
export const consentBar = (page: Page) => page.locator('.consent-bar');

/** Answers the question. */
export const answer = (page: Page, given: 'granted' | 'denied') =>
  consentBar(page).getByRole('button', { name: consentCopy[given] }).click();

/** Changes the answer, in the privacy panel. */
export async function changeAnswer(page: Page, given: 'granted' | 'denied'): Promise<void> {
  await page.getByRole('button', { name: privacyButtons.openWithChoices }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('radio', { name: consentCopy[given] }).check();
  await panel.getByText(consentCopy.choice[given]).waitFor();
  await page.keyboard.press('Escape');
}

/** Fails unless both answers can be seen and pressed where they are, without scrolling. */
export async function expectAnswersInReach(place: Locator): Promise<void> {
  for (const given of ['denied', 'granted'] as const) {
    const button = place.getByRole('button', { name: consentCopy[given] });
    const hidden = await button.evaluate((element) => {
      const { left, top, right, bottom, height } = element.getBoundingClientRect();
      const middle = (left + right) / 2;
      const ends = [top + height / 4, bottom - height / 4];
      return ends.some((y) => !element.contains(document.elementFromPoint(middle, y)));
    });
    assert.equal(hidden, false, `"${consentCopy[given]}" is out of view`);
  }
}
