import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { DESKTOP, openPage } from './run/browser.ts';
import { test } from './run/test.ts';
import { lookOnAllScreens } from './steps/office.ts';

test.describe('the office’s page of a registration', () => {
  test('axe finds nothing on it, on its forms and on the pages after them', async ({ browser, scope }) => {
    const { startOffice } = await import('#server/testing/test-office-pages.ts');
    const office = await startOffice(scope);
    office.signIn({ name: 'Sol', role: 'support' });
    const id = await office.register();
    await office.queue.add((await office.payments.findMail(id, 'welcome', office.now())) ?? assert.fail());
    const url = await office.serve();
    const { page, assertQuiet, close } = await openPage(browser, DESKTOP);
    scope.after(close);
    await page.goto(`${url}/office/registrations/${id}`);
    await page.getByText('Not possible now').click();
    await lookOnAllScreens(page, 'her registration');
    await page.getByRole('link', { name: 'Give something back as an exception' }).click();
    await lookOnAllScreens(page, 'a form');
    await page.getByLabel('How much').fill('much');
    await page.getByLabel('Why').fill('illness');
    await press(page, 'Show what will happen');
    await page.getByText('Please give an amount').waitFor();
    await lookOnAllScreens(page, 'what is wrong');
    await page.getByLabel('How much').fill('50');
    await press(page, 'Show what will happen');
    await lookOnAllScreens(page, 'what will happen');
    await press(page, 'Give $50 back to her card');
    await page.getByRole('heading', { name: 'Done: Give something back as an exception' }).waitFor();
    await lookOnAllScreens(page, 'what was done');
    await page.goto(`${url}/office/registrations/${id}/cancel`);
    await lookOnAllScreens(page, 'a form with a day and a time');
    await page.goto(`${url}/office/registrations/${id}/dismiss`);
    await lookOnAllScreens(page, 'a form with a choice');
    await page.goto(`${url}/office/registrations/${id}/evidence`);
    await lookOnAllScreens(page, 'the evidence');
    // Only responses that report invalid input have an error status.
    assertQuiet({ except: /422/ });
  });
});

const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
