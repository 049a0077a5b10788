import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { DESKTOP, openPage, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { assertAccessible } from './steps/axe.ts';

test.describe('the office’s page of a registration', () => {
  for (const [name, size] of Object.entries({
    'phone, light': PHONE,
    'phone, dark': { ...PHONE, colorScheme: 'dark' as const },
    'desktop, light': DESKTOP,
    'desktop, dark': { ...DESKTOP, colorScheme: 'dark' as const },
  })) {
    test(`axe finds nothing on it, on its forms and on the pages after them, ${name}`, async ({
      browser,
      scope,
    }) => {
      const { startOffice } = await import('#server/testing/test-office-pages.ts');
      const office = await startOffice(scope);
      office.signIn({ name: 'Sol', role: 'support' });
      const id = await office.register();
      await office.queue.add((await office.payments.findMail(id, 'welcome', office.now())) ?? assert.fail());
      const url = await office.serve();
      const { page, assertQuiet, close } = await openPage(browser, size);
      scope.after(close);
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
});

const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
