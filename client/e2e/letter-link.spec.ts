import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { LETTER_QUERY, REGISTER_SECTION_ID, UNFINISHED_KEPT_DAYS } from '#shared/page.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE, UNPAID } from './run/outcome.ts';
import { type Site, test } from './run/test.ts';
import { blockLocalStorage } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test.describe('R5.3 the link in the letter that reminds her of an unfinished registration', () => {
  test.use({ visitor: PHONE });

  test('in the same browser it leads back to where she was, until she has paid, which she does only once', async ({
    site,
  }) => {
    const page = await site.open();
    const link = await walkToLetter(page, 'back@example.org', site);
    await page.getByLabel('City').fill('Santa Cruz');
    await page.getByLabel('Street', { exact: true }).focus();

    const tab = await site.openTab(page, link);
    await steps.expectPaymentStep(tab);
    assert.equal(tab.url(), `${site.product.siteUrl}/#register-stepper`);
    assert.equal(await tab.getByLabel('City').inputValue(), 'Santa Cruz');
    assert.equal(await tab.getByLabel('Credit or debit card number').inputValue(), '');
    await tab.reload();
    await steps.expectPaymentStep(tab);
    await steps.pay(tab);
    assert.deepEqual(await keptInBrowser(tab), [`registration-key-${facts.id}`]);

    await page.bringToFront();
    await page.getByLabel('City').fill('Capitola');
    await steps.pay(page);
    assert.deepEqual(await keptInBrowser(page), [`registration-key-${facts.id}`]);
    assert.deepEqual(await site.countPayments('back@example.org'), ONCE);
    await expectEmptyForm(await site.openTab(page, link));
  });

  test('if she has paid in another browser meanwhile, it shows that, and nothing is paid again', async ({
    site,
  }) => {
    const page = await site.open();
    const link = await walkToLetter(page, 'elsewhere@example.org', site);
    const [kept = ''] = await page.evaluate(() =>
      Object.entries(localStorage).flatMap(([key, text]) => (key.startsWith('unfinished-') ? [text] : [])),
    );
    const other = await site.open();
    await other.evaluate(
      (text) => sessionStorage.setItem('registration', text),
      kept.slice(kept.indexOf(' ') + 1),
    );
    await other.goto(link);
    await steps.expectPaymentStep(other);
    await steps.pay(other);
    const tab = await site.openTab(page, link);
    await steps.expectCompletion(tab);
    assert.deepEqual(await keptInBrowser(tab), [`registration-key-${facts.id}`]);
    assert.deepEqual(await site.countPayments('elsewhere@example.org'), ONCE);
  });

  test('only the link, and only in the same browser, leads back; a tab with another registration keeps that one', async ({
    site,
  }) => {
    const page = await site.open();
    const link = new URL(await walkToLetter(page, 'ordinary@example.org', site));
    const other = await site.openEmpty();
    await other.goto(link.href);
    assert.deepEqual(await keptInBrowser(other), []);
    await expectEmptyForm(other);

    const tab = await site.openTab(page);
    await expectEmptyForm(tab);
    await tab.getByLabel('First name').fill('Betty');
    await tab.goto(link.href);
    await tab.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await tab.getByLabel('First name').inputValue(), 'Betty');
    link.searchParams.set(LETTER_QUERY, 'pi_other');
    await expectEmptyForm(await site.openTab(page, link.href));
    assert.deepEqual(await site.countPayments('ordinary@example.org'), UNPAID);
  });

  test('two people in two tabs: each letter leads to its own registration', async ({ site }) => {
    const page = await site.open();
    const links = [await walkToLetter(page, 'berta-back@example.org', site)];
    const second = await site.openTab(page);
    // The key that the tabs share belongs to the first registration: the endpoint asks for another.
    expectNoise(page, /status of 409/);
    links.push(await walkToLetter(second, 'anna-back@example.org', site));
    for (const [index, email] of ['berta-back@example.org', 'anna-back@example.org'].entries()) {
      const tab = await site.openTab(page, links[index] ?? '');
      await tab.locator('.confirm-details').getByText(email).waitFor();
      await steps.pay(tab);
      assert.deepEqual(await site.countPayments(email), ONCE);
    }
  });

  test('after starting over the link leads to an empty form, even if she goes on typing in the other tab', async ({
    site,
  }) => {
    const page = await site.open();
    const link = await walkToLetter(page, 'over@example.org', site);
    const tab = await site.openTab(page, link);
    await steps.expectPaymentStep(tab);
    await steps.startOver(tab);
    await tab.locator('.package-card').waitFor();
    await page.bringToFront();
    await page.getByLabel('City').fill('Santa Cruz');
    await page.reload();
    await steps.expectPaymentStep(page);
    await page.getByLabel('City').fill('Capitola');
    assert.deepEqual(await keptInBrowser(page), [`registration-key-${facts.id}`]);
    await expectEmptyForm(await site.openTab(page, link));
  });

  test('the next visit after two days deletes it', async ({ site }) => {
    const page = await site.open();
    const link = await walkToLetter(page, 'late@example.org', site);
    const early = await site.openTab(page, 'about:blank');
    await early.clock.setFixedTime(Date.now() + (UNFINISHED_KEPT_DAYS - 0.5) * DAY_MS);
    await early.goto(link);
    await steps.expectPaymentStep(early);

    const late = await site.openTab(page, 'about:blank');
    await late.clock.setFixedTime(Date.now() + (UNFINISHED_KEPT_DAYS + 0.5) * DAY_MS);
    await late.goto(site.product.siteUrl);
    await late.waitForFunction(() => Object.keys(localStorage).every((key) => !key.startsWith('unfinished')));
    await late.goto(link);
    await expectEmptyForm(late);
  });

  test('a visitor whose browser blocks local storage can register', async ({ site }) => {
    const page = await site.openEmpty();
    await blockLocalStorage(page);
    await page.goto(site.product.siteUrl);
    const link = await walkToLetter(page, 'forbidden@example.org', site);
    await steps.pay(page);
    const tab = await site.openTab(page, link);
    await expectEmptyForm(tab);
    assert.deepEqual(await site.countPayments('forbidden@example.org'), ONCE);
  });
});

/** Goes to the payment step. Returns the link of the letter that reminds her of it a day later. */
async function walkToLetter(page: Page, email: string, site: Site): Promise<string> {
  await steps.walkToPayment(page, email);
  const progress = await page.evaluate(() => sessionStorage.getItem('registration') ?? '');
  const link = new URL(site.product.siteUrl);
  link.searchParams.set(LETTER_QUERY, /pi_[^_]+/.exec(progress)?.[0] ?? '');
  link.hash = REGISTER_SECTION_ID;
  return link.href;
}

/** Begins a registration, and checks that nothing is filled in. */
async function expectEmptyForm(page: Page): Promise<void> {
  await steps.choosePackage(page);
  assert.equal(await page.getByLabel('First name').inputValue(), '');
}

/** The keys in the browser's local storage. */
function keptInBrowser(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).sort());
}
