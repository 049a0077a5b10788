import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { test } from './run/test.ts';
import { holdBack } from './steps/loading.ts';
import { choosePackage, startOver, visitor, walkToPayment } from './steps/registration.ts';

test.describe('R2.1 starting over', () => {
  test.use({ visitor: { width: 360, height: 740 } });

  const button = (page: Page) => page.getByRole('button', { name: 'Start over' });
  const question = (page: Page) => page.getByRole('dialog', { name: 'Start over?' });
  test('asks before it deletes anything, focuses the harmless answer, and keeps everything after a no', async ({
    site,
  }) => {
    const page = await site.open();
    await walkToPayment(page, 'asked@example.org');
    await page.getByLabel('City').fill('Santa Cruz');
    await button(page).press('Enter');
    const no = question(page).getByRole('button', { name: 'No, keep it' });
    await no.waitFor();
    await expect(no).toBeFocused();
    await no.press('Enter');
    await question(page).waitFor({ state: 'hidden' });
    await expect(button(page)).toBeFocused();
    await button(page).press('Enter');
    await page.keyboard.press('Escape');
    await question(page).waitFor({ state: 'hidden' });
    await expect(button(page)).toBeFocused();
    assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');

    await startOver(page);
    await page.locator('.step-heading:focus').getByText('Select Package').waitFor({ state: 'attached' });
    const kept = await page.evaluate(() => [Object.keys(sessionStorage), Object.keys(localStorage)]);
    assert.deepEqual(kept, [[], [`registration-key-${facts.id}`]]);
    await choosePackage(page);
    assert.equal(await page.getByLabel('First name').inputValue(), '');
  });

  test('R4.5 she cannot pay while the page asks Stripe whether the payment was made', {
    tag: '@journey',
  }, async ({ site }) => {
    const page = await site.open();
    await walkToPayment(page, 'asking@example.org');
    await page.getByLabel('Credit or debit card number').waitFor();
    const release = await holdBack(page, '**/v1/payment_intents/*');
    const asked = page.waitForRequest('**/v1/payment_intents/*');
    await startOver(page);
    await asked;
    await page.locator('button:disabled', { hasText: 'Finish' }).waitFor();
    release();
    await page.getByRole('heading', { name: 'Step 1 of 3 Select Package' }).waitFor();
  });

  test('asks as soon as a word is typed, and not before', async ({ site }) => {
    const page = await site.open();
    await choosePackage(page);
    await button(page).click();
    await page.getByRole('heading', { name: 'Step 1 of 3 Select Package' }).waitFor();
    await choosePackage(page);
    await page.getByLabel('First name').fill(visitor.firstName);
    await button(page).click();
    await question(page).waitFor();
  });

  test('is a button no larger than its text, far enough from all others', async ({ site }) => {
    const page = await site.open();
    await walkToPayment(page, 'target@example.org');
    const box = await button(page).boundingBox();
    assert.ok(box && box.height >= 24 && box.height < 40 && box.width < 120, JSON.stringify(box));
    const others = page.locator('#register-stepper button:visible').filter({ hasNotText: 'Start over' });
    for (const other of await others.all()) {
      const { y = 0, height = 0 } = (await other.boundingBox()) ?? {};
      const gap = y > box.y ? y - (box.y + box.height) : box.y - (y + height);
      assert.ok(gap >= 8, `${await other.textContent()} is ${gap} px away`);
    }
    const finish = await page.getByRole('button', { name: 'Finish' }).boundingBox();
    assert.ok(finish && finish.x > box.x + box.width + 100);
  });
});
