import assert from 'node:assert/strict';
import { test } from './run/test.ts';
import type { Page } from '@playwright/test';
import { startOffice } from '#server/testing/test-office-pages.ts';
import { DESKTOP, openPage, PHONE } from './run/browser.ts';
import { assertAccessible } from './steps/axe.ts';

test.describe('the office’s page of a registration', () => {
  for (const [name, size] of Object.entries({
    'phone, light': PHONE,
    'phone, dark': { ...PHONE, colorScheme: 'dark' as const },
    'desktop, light': DESKTOP,
    'desktop, dark': { ...DESKTOP, colorScheme: 'dark' as const },
  })) {
    test(`axe finds nothing on it, on its forms and on the pages after them, ${name}`, async ({ site }) => {
      const office = await startOffice(t);
      office.signIn({ name: 'Sol', role: 'support' });
      const id = await office.register();
      await office.queue.add((await office.payments.findMail(id, 'welcome', office.now())) ?? assert.fail());
      const url = await office.serve();
      const { page, assertQuiet, close } = await openPage(await sharedBrowser(), size);
      t.after(close);
      const look = async (what: string) => {
        await assertAccessible(page, what);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(wide, size.width, `${what} scrolls sideways`);
      };
      await page.goto(`${url}/office/registrations/${id}`);
      await page.getByText('Not possible now').click();
      await look('her registration');
      await page.getByRole('link', { name: 'Give something back as an exception' }).click();
      await look('a form');
      await page.getByLabel('How much').fill('much');
      await page.getByLabel('Why').fill('illness');
      await press(page, 'Show what will happen');
      await page.getByText('Please give an amount').waitFor();
      await look('what is wrong');
      await page.getByLabel('How much').fill('50');
      await press(page, 'Show what will happen');
      await look('what will happen');
      await press(page, 'Give $50 back to her card');
      await page.getByRole('heading', { name: 'Done: Give something back as an exception' }).waitFor();
      await look('what was done');
      await page.goto(`${url}/office/registrations/${id}/cancel`);
      await look('a form with a day and a time');
      await page.goto(`${url}/office/registrations/${id}/dismiss`);
      await look('a form with a choice');
      await page.goto(`${url}/office/registrations/${id}/evidence`);
      await look('the evidence');
      // Only responses that report invalid input have an error status.
      assertQuiet({ except: /422/ });
    });
  }

  test('an act works by keyboard and without a script, and is done once from two windows', async ({ site }) => {
    const office = await startOffice(t);
    const id = await office.register();
    const url = await office.serve();
    const { page, close } = await openPage(await sharedBrowser(), { ...DESKTOP, javaScriptEnabled: false });
    t.after(close);
    await page.goto(`${url}/office/registrations/${id}`);
    const other = await page.context().newPage();
    await other.goto(`${url}/office/registrations/${id}/cancel`);
    await other.getByLabel('When she wrote').fill('2025-12-01');
    await other.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Cancel her registration' }).press('Enter');
    await page.getByLabel('When she wrote').fill('2025-12-01');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Change what I gave' }).press('Enter');
    assert.equal(await page.getByLabel('When she wrote').inputValue(), '2025-12-01');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Show what will happen' }).press('Enter');
    await page.getByRole('button', { name: 'Cancel her registration: nothing goes back' }).press('Enter');
    await page.getByRole('heading', { name: 'Done: Cancel her registration' }).waitFor();
    assert.equal((await office.find(id)).decisions.cancel?.by, 'Anna');
    await other.getByRole('button', { name: 'Cancel her registration: nothing goes back' }).press('Enter');
    await other.getByText('not possible now, and nothing was done').waitFor();
  });
});

const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
