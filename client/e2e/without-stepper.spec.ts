import assert from 'node:assert/strict';
import { expect } from '@playwright/test';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';

test('R1.10 without scripts the calls to action lead to the office’s address in the stepper’s place, and the questions open and close', async ({
  site,
}) => {
  const page = await site.open({ ...PHONE, javaScriptEnabled: false });
  const [first, second] = [page.locator('details').nth(0), page.locator('details').nth(1)];
  for (const question of [first, second, first]) await question.locator('summary').click();
  await expect(first).not.toHaveAttribute('open');
  await expect(second).toHaveAttribute('open');

  await page.locator('#main').getByRole('link', { name: 'Reserve your spot now' }).first().click();
  const section = page.locator('#register-stepper');
  await section.getByRole('heading', { name: 'Registering without JavaScript' }).waitFor();
  assert.equal(await section.getByRole('link', { name: 'office@retreat.example' }).count(), 1);
  assert.equal(await section.getByRole('button').count(), 0);
});
