import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { edition, frameColor } from '#shared/content/compiled/on-sale.ts';
import { test } from './run/test.ts';
import { untilHydrated } from './steps/loading.ts';
import { choosePackage, giveContact } from './steps/registration.ts';

const schemes = ['light', 'dark'] as const;

const { palette } = edition;
const LIGHT_PAPER = toRgb(frameColor.light);
const DARK_PAPER = toRgb(frameColor.dark);

test.describe('the theme', () => {
  test('R1.9 R1.15 theme and illustration follow the device until the visitor chooses one by keyboard, and again once she chooses the device', async ({
    site,
  }) => {
    const page = await site.open();
    const half = () =>
      page.locator('.approach-art').evaluate((image) => getComputedStyle(image).objectPosition);
    const light = await half();
    assert.equal(await paper(page), LIGHT_PAPER);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await paper(page), DARK_PAPER);
    assert.notEqual(await half(), light);

    await untilHydrated(page);
    await page.getByRole('radio', { name: 'As my device' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await paper(page), LIGHT_PAPER);
    assert.equal(await half(), light);
    assert.equal(await storedTheme(page), 'light');
    assert.deepEqual(await frameColors(page), [frameColor.light, frameColor.light]);

    await page.keyboard.press('ArrowLeft');
    assert.equal(await paper(page), DARK_PAPER);
    assert.equal(await storedTheme(page), null);
    assert.deepEqual(await frameColors(page), [frameColor.light, frameColor.dark]);
  });

  test('R1.15 the stored theme applies before the application runs, and hydrates without a warning', async ({
    site,
  }) => {
    const page = await site.open();
    await untilHydrated(page);
    await page.getByRole('radio', { name: 'Dark' }).check();

    await page.route('**/static/js/**', (route) => route.abort());
    await page.reload();
    assert.equal(await paper(page), DARK_PAPER);
    assert.deepEqual(await frameColors(page), [frameColor.dark, frameColor.dark]);

    await page.unroute('**/static/js/**');
    await page.reload();
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor();
  });

  test('R1.15 other tabs follow the choice', async ({ site }) => {
    const page = await site.open();
    const other = await site.openTab(page);
    await untilHydrated(other);
    await untilHydrated(page);
    await page.getByRole('radio', { name: 'Dark' }).check();
    await other.getByRole('radio', { name: 'Dark', checked: true }).waitFor();
    assert.equal(await paper(other), DARK_PAPER);
  });

  test('R1.15 the card fields and their placeholders follow the choice, in colours that are checked for contrast', async ({
    site,
  }) => {
    const page = await site.open();
    await choosePackage(page);
    await giveContact(page);
    const cardNumber = page.getByLabel('Credit or debit card number');
    await cardNumber.waitFor();
    for (const scheme of schemes) {
      await page.getByRole('radio', { name: scheme === 'light' ? 'Light' : 'Dark' }).check();
      await expect(cardNumber).toHaveCSS('color', toRgb(palette.ink[scheme]));
      const placeholder = await cardNumber.evaluate((input) => {
        const { color, opacity } = getComputedStyle(input, '::placeholder');
        return [color, opacity];
      });
      assert.deepEqual(placeholder, [toRgb(palette.inkSoft[scheme]), '1']);
    }
  });
});

const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

const storedTheme = (page: Page) => page.evaluate(() => localStorage.getItem('theme'));

const frameColors = (page: Page) =>
  page
    .locator('meta[name="theme-color"]')
    .evaluateAll((metas) => metas.map((meta) => meta.getAttribute('content')));

/** `rgb(251, 246, 239)`, as browsers compute it, for `#fbf6ef`. */
function toRgb(hex: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return `rgb(${channels.join(', ')})`;
}
