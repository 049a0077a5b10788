import type { Page } from '@playwright/test';
import { DESKTOP, PHONE } from '#client/e2e/run/browser.ts';
import { officePaths } from '#server/office/paths.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { assertAccessibleInBoth } from './looks.ts';

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

/** Says where the video room is, on a page of a signed-in user: before that, no letter leads to it. */
export async function announceRoom(page: Page, opsUrl: string): Promise<void> {
  await page.goto(`${opsUrl}${officePaths.announce(facts.id, 'announce-room')}`);
  await page.getByLabel('Address of the video room').fill('https://room.example/the-doorway');
  await page.getByRole('button', { name: 'Show what will happen' }).click();
  await page.getByRole('button', { name: 'Say where the video room is' }).click();
  await page.getByRole('heading', { name: 'Done: Say where the video room is' }).waitFor();
}
