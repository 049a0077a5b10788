import type { Page } from '@playwright/test';
import { DESKTOP, PHONE } from '#client/e2e/run/browser.ts';
import { assertAccessibleInBoth } from './looks.ts';

export async function signIn(page: Page, name: string, password = name): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function lookOnAllScreens(page: Page, state: string): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await assertAccessibleInBoth(page, `${state}, ${size.width} px`);
  }
}
