import { expect } from '@playwright/test';
import { DESKTOP, openPage } from '#client/e2e/run/browser.ts';
import { test } from '#client/e2e/run/test.ts';
import { officePaths } from '#server/office/paths.ts';
import { recordActs } from '#server/stripe/decide.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

test('her registration on paper has what her bank asks for, and nothing that is the office’s own', async ({
  browser,
  scope,
}) => {
  const { startOffice } = await import('#server/testing/test-office.ts');
  const office = await startOffice(scope);
  const { at, now, register, payments, find, tell, serve } = office;
  const id = await register({ timeZone: 'Europe/Berlin' });
  await payments.ask(recordActs, await find(id), [
    { kind: 'note', facts: { text: 'Comes by train' }, at: now(), by: 'Anna' },
  ]);
  await at(now());
  await tell(id);
  const page = await openPage(browser, scope, DESKTOP);
  await page.goto(new URL(officePaths.registration(id), await serve()).href);
  await page.emulateMedia({ media: 'print' });
  const { version, digest } = edition.terms;
  const agreedAt = (await find(id)).agreement?.agreedAt.toISOString() ?? '';
  for (const words of [`version ${version}`, digest, agreedAt, 'Europe/Berlin', 'Deposit'])
    await expect(page.getByText(words).first()).toBeVisible();
  await expect(page.getByText(/^Message .* was sent$/).first()).toBeVisible();
  await expect(page.getByText('Comes by train')).toBeHidden();
  for (const own of ['What she asks for', 'Correct her details', 'Show what will happen'])
    await expect(page.getByText(own, { exact: true })).toBeHidden();
});
