import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { DESKTOP, PHONE } from '#client/e2e/run/browser.ts';
import { assertAccessibleInBoth } from './looks.ts';

/** Signs in at the page that asks for it. */
export async function signIn(page: Page, name: string, password = name): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Checks that a page of the office is accessible and fits, on a phone and at a desk. */
export async function lookOnAllScreens(page: Page, state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await assertAccessibleInBoth(page, `${state}, ${size.width} px`);
  }
}

/** An act of the office, in the words of its pages. */
interface Act {
  /** Its heading, which is also the text of the link to it. */
  name: string;
  /** What is typed or chosen, by label. */
  given: Readonly<Record<string, string>>;
  /** What the preview says. */
  shows: RegExp;
  /** The button that does it. */
  confirm: string;
}

/** Does an act by keyboard: asks for it, sees what will happen, confirms it, and reads that it is done. */
export async function doAct(
  page: Page,
  { name, given, shows, confirm }: Act,
  look: (state: string) => Promise<void> = async () => {},
): Promise<void> {
  await page.getByRole('link', { name, exact: true }).press('Enter');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await look(`${name}, asked`);
  for (const [label, value] of Object.entries(given)) {
    const field = page.getByLabel(label, { exact: true });
    const isChoice = await field.evaluate((element) => element instanceof HTMLSelectElement);
    await (isChoice ? field.selectOption({ label: value }) : field.fill(value));
  }
  await page.getByRole('button', { name: 'Show what will happen' }).press('Enter');
  await page.getByRole('heading', { name: 'What will happen' }).waitFor();
  assert.match((await page.locator('main').textContent())?.replaceAll('\u00a0', ' ') ?? '', shows, name);
  await look(`${name}, shown before`);
  await page.getByRole('button', { name: confirm, exact: true }).press('Enter');
  await page.getByRole('heading', { name: `Done: ${name}` }).waitFor();
  await look(`${name}, done`);
}
