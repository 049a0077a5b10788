import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { themeColors } from '#shared/theme.ts';
import { openPage } from './browser.ts';
import { untilHydrated } from './hydration.ts';
import { choosePackage, giveContact } from './registration.ts';
import { runProduct } from './run-product.ts';

const DESKTOP = { width: 1280, height: 900 };
const LIGHT_PAPER = toRgb(themeColors.light);
const DARK_PAPER = toRgb(themeColors.dark);

describe('the theme', () => {
  const run = runProduct();

  async function openEmpty(t: TestContext) {
    const watched = await openPage(run.browser, DESKTOP);
    t.after(watched.close);
    return watched;
  }

  async function openSite(t: TestContext) {
    const watched = await openEmpty(t);
    await watched.page.goto(run.product.siteUrl);
    return watched;
  }

  test('R1.15 the theme follows the device until the visitor chooses, by keyboard, and back', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    assert.equal(await paper(page), LIGHT_PAPER);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await paper(page), DARK_PAPER);

    await untilHydrated(page);
    await page.getByRole('radio', { name: 'As my device' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await paper(page), LIGHT_PAPER);
    assert.equal(await storedTheme(page), 'light');
    assert.deepEqual(await frameColors(page), [themeColors.light, themeColors.light]);

    await page.keyboard.press('ArrowLeft');
    assert.equal(await paper(page), DARK_PAPER);
    assert.equal(await storedTheme(page), null);
    assert.deepEqual(await frameColors(page), [themeColors.light, themeColors.dark]);
    assertQuiet();
  });

  test('R1.15 the stored theme is there before the application runs, and hydrates without a word', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await untilHydrated(page);
    await page.getByRole('radio', { name: 'Dark' }).check();

    await page.route('**/static/js/**', (route) => route.abort());
    await page.reload();
    assert.equal(await paper(page), DARK_PAPER);
    assert.deepEqual(await frameColors(page), [themeColors.dark, themeColors.dark]);

    await page.unroute('**/static/js/**');
    await page.reload();
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor();
    assertQuiet({ except: /ERR_FAILED/ });
  });

  test('R1.15 other tabs follow the choice', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    const other = await page.context().newPage();
    await other.goto(run.product.siteUrl);
    await untilHydrated(other);
    await untilHydrated(page);
    await page.getByRole('radio', { name: 'Dark' }).check();
    await other.getByRole('radio', { name: 'Dark', checked: true }).waitFor();
    assert.equal(await paper(other), DARK_PAPER);
    assertQuiet();
  });

  test('R1.15 where local storage is blocked, the choice holds for the page', async (t) => {
    const { page, assertQuiet } = await openEmpty(t);
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    });
    await page.goto(run.product.siteUrl);
    await untilHydrated(page);
    await assert.rejects(storedTheme(page), /Access is denied/);
    await page.getByRole('radio', { name: 'Dark' }).check();
    assert.equal(await paper(page), DARK_PAPER);
    assertQuiet();
  });

  test('R1.15 the card fields follow the choice', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await choosePackage(page);
    await giveContact(page);
    const cardNumber = page.getByLabel('Credit or debit card number');
    await cardNumber.waitFor();
    await page.getByRole('radio', { name: 'Dark' }).check();
    const cream = 'rgb(244, 233, 220)';
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), cream);
    await page.waitForFunction(([field, color]) => field && getComputedStyle(field).color === color, [
      await cardNumber.elementHandle(),
      cream,
    ] as const);
    assertQuiet();
  });
});

const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

const storedTheme = (page: Page) => page.evaluate(() => localStorage.getItem('theme'));

const frameColors = (page: Page) =>
  page
    .locator('meta[name="theme-color"]')
    .evaluateAll((metas) => metas.map((meta) => meta.getAttribute('content')));

/** `#fbf6ef` as browsers compute it. */
function toRgb(hex: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return `rgb(${channels.join(', ')})`;
}
