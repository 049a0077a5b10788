import assert from 'node:assert/strict';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { UNFINISHED_KEPT_DAYS } from '#shared/page.ts';
import { PHONE } from './run/browser.ts';
import { ONCE } from './run/outcome.ts';
import { test } from './run/test.ts';
import { expectEmptyForm, keptInBrowser, walkToLetter } from './steps/letter-link.ts';
import { blockLocalStorage } from './steps/loading.ts';
import * as steps from './steps/registration.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test.describe('R5.3 how long the registration that the letter’s link restores is kept', () => {
  test.use({ visitor: PHONE });

  test('after starting over the link leads to an empty form, even if she goes on typing in the other tab', async ({
    site,
  }) => {
    const { page } = await site.open();
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
    const { page } = await site.open();
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

  test('if the chunk that restores it fails to load, the link works at the next load', async ({ site }) => {
    const { page } = await site.open();
    const link = await walkToLetter(page, 'chunk@example.org', site);
    const tab = await site.openTab(page, 'about:blank');
    await tab.route('**/restore-progress-*', (route) => route.abort());
    const failed = tab.waitForEvent('requestfailed');
    await tab.goto(link);
    await failed;
    await tab.unroute('**/restore-progress-*');
    await tab.reload();
    await steps.expectPaymentStep(tab);
  });

  test('a visitor whose browser blocks local storage can register', async ({ site }) => {
    const { page, assertQuiet } = await site.openEmpty();
    await blockLocalStorage(page);
    await page.goto(site.product.siteUrl);
    const link = await walkToLetter(page, 'forbidden@example.org', site);
    await steps.pay(page);
    const tab = await site.openTab(page, link);
    await expectEmptyForm(tab);
    assert.deepEqual(await site.countPayments('forbidden@example.org'), ONCE);
    assertQuiet();
  });
});
