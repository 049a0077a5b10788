import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { DESKTOP, PHONE } from '#client/e2e/run/browser.ts';
import { assertAccessible } from './axe.ts';

/** Signs in at the page that asks for it. */
export async function signIn(page: Page, name: string, password = name): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Checks what every page of the office must be: accessible, and no wider than its screen. */
export async function look(page: Page, state: string): Promise<void> {
  await assertAccessible(page, state);
  const [wanted, width] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
  assert.equal(width, wanted, `${state}: nobody should have to scroll sideways`);
}

/** The same on a phone and at a desk, in the light and in the dark scheme of the device. */
export async function lookOnAllScreens(page: Page, state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await look(page, `${state}, ${size.width} px, ${colorScheme}`);
    }
  }
}

/** An act of the office, in the words of the pages. */
export interface OfficeAct {
  /** Its heading, which is also the text of the link to it. */
  act: string;
  /** What is typed or chosen, by label. */
  given?: Readonly<Record<string, string>>;
  /** What the preview says. */
  shows: RegExp;
  /** The button that does it. */
  confirm: string;
}

/** Goes from the page of a registration to the preview of an act. */
export async function preview(page: Page, { act, given = {}, shows, confirm }: OfficeAct): Promise<void> {
  await page.getByRole('link', { name: act, exact: true }).click();
  await page.getByRole('heading', { name: act, level: 1 }).waitFor();
  if (Object.keys(given).length > 0) {
    await look(page, `${act}, asked`);
    await give(page, given);
    await page.getByRole('button', { name: 'Show what will happen' }).click();
  }
  await page.getByRole('heading', { name: 'What will happen' }).waitFor();
  assert.match((await page.locator('main').textContent()) ?? '', shows, act);
  await page.getByRole('button', { name: confirm, exact: true }).waitFor();
  await look(page, `${act}, shown before`);
}

async function give(page: Page, given: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(given)) {
    const field = page.getByLabel(label, { exact: true });
    const isChoice = await field.evaluate((element) => element instanceof HTMLSelectElement);
    if (isChoice) await field.selectOption({ label: value });
    else await field.fill(value);
  }
}

/** Confirms the preview, and checks that the page says who did it. */
export async function confirm(page: Page, { act, confirm }: OfficeAct, user: string): Promise<void> {
  await page.getByRole('button', { name: confirm, exact: true }).click();
  await page.getByRole('heading', { name: `Done: ${act}` }).waitFor();
  await page.getByText(`By ${user}.`, { exact: true }).waitFor();
  await look(page, `${act}, done`);
}
