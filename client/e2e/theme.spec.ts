import assert from 'node:assert/strict';
import type { Locator, Page } from '@playwright/test';
import { frameColor } from '#shared/content/compiled/on-sale/frame-color.ts';
import { test } from './run/test.ts';
import { blockLocalStorage, untilHydrated } from './steps/loading.ts';
import { toRgb } from './steps/older-browser.ts';
import { choosePackage, giveContact } from './steps/registration.ts';

const LIGHT_PAPER = toRgb(frameColor.light);
const DARK_PAPER = toRgb(frameColor.dark);

test.describe('the theme', () => {
  test('R1.15 the theme follows the device until the visitor chooses one by keyboard, and again once she chooses the device', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    assert.equal(await paper(page), LIGHT_PAPER);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await paper(page), DARK_PAPER);

    await untilHydrated(page);
    await page.getByRole('radio', { name: 'As my device' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await paper(page), LIGHT_PAPER);
    assert.equal(await storedTheme(page), 'light');
    assert.deepEqual(await frameColors(page), [frameColor.light, frameColor.light]);

    await page.keyboard.press('ArrowLeft');
    assert.equal(await paper(page), DARK_PAPER);
    assert.equal(await storedTheme(page), null);
    assert.deepEqual(await frameColors(page), [frameColor.light, frameColor.dark]);
    assertQuiet();
  });

  test('R1.15 the stored theme applies before the application runs, and hydrates without a warning', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    await untilHydrated(page);
    await page.getByRole('radio', { name: 'Dark' }).check();

    await page.route('**/static/js/**', (route) => route.abort());
    await page.reload();
    assert.equal(await paper(page), DARK_PAPER);
    assert.deepEqual(await frameColors(page), [frameColor.dark, frameColor.dark]);

    await page.unroute('**/static/js/**');
    await page.reload();
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor();
    assertQuiet({ except: /ERR_FAILED/ });
  });

  test('R1.15 other tabs follow the choice', async ({ site }) => {
    const { page, assertQuiet } = await site.open();
    const other = await page.context().newPage();
    await other.goto(site.product.siteUrl);
    await untilHydrated(other);
    await untilHydrated(page);
    await page.getByRole('radio', { name: 'Dark' }).check();
    await other.getByRole('radio', { name: 'Dark', checked: true }).waitFor();
    assert.equal(await paper(other), DARK_PAPER);
    assertQuiet();
  });

  test('R1.15 where local storage is blocked, the choice holds for the page', async ({ site }) => {
    const { page, assertQuiet } = await site.openEmpty();
    await blockLocalStorage(page);
    await page.goto(site.product.siteUrl);
    await untilHydrated(page);
    await assert.rejects(storedTheme(page), /Access is denied/);
    await page.getByRole('radio', { name: 'Dark' }).check();
    assert.equal(await paper(page), DARK_PAPER);
    assertQuiet();
  });

  test('R1.15 in the menu of a phone the choices are shown in words, and the keyboard reaches them', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    await untilHydrated(page);
    const words = page.locator('.theme-switch .segment span');
    const shown = () =>
      words.evaluateAll((spans) => spans.map((span) => span.clientWidth > 20 && span.textContent));
    assert.deepEqual(await shown(), [false, false, false], 'in a row');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    assert.deepEqual(await shown(), ['As my device', 'Light', 'Dark']);
    const dark = page.getByRole('radio', { name: 'Dark' });
    for (let tabs = 0; tabs < 10 && !(await isFocused(page.getByRole('radio').first())); tabs += 1) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('ArrowUp');
    assert.ok(await isFocused(dark));
    assert.equal(await storedTheme(page), 'dark');
    await page.keyboard.press('Escape');
    await dark.waitFor({ state: 'hidden' });
    assertQuiet();
  });

  test('R1.15 a radio button that the browser restores after a reload is reset to the current theme', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.openEmpty();
    await page.addInitScript(() => {
      document.addEventListener('DOMContentLoaded', () => {
        const dark = document.querySelector<HTMLInputElement>('input[name="theme"][value="dark"]');
        if (dark) dark.checked = true;
      });
    });
    await page.goto(site.product.siteUrl);
    await untilHydrated(page);
    await page.getByRole('radio', { name: 'As my device', checked: true }).waitFor();
    assert.equal(await page.locator('input[type="radio"][autocomplete]').count(), 0);
    await page.getByRole('radio', { name: 'Dark' }).check();
    assert.equal(await paper(page), DARK_PAPER);
    assertQuiet();
  });

  test('R1.15 the card fields follow the choice, and placeholders have enough contrast in both themes', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    await choosePackage(page);
    await giveContact(page);
    const cardNumber = page.getByLabel('Credit or debit card number');
    await cardNumber.waitFor();
    const other = page.locator('input.field__control').first();
    for (const [theme, paperColor] of [
      ['Light', LIGHT_PAPER],
      ['Dark', DARK_PAPER],
    ] as const) {
      await page.getByRole('radio', { name: theme }).check();
      const ink = await page.evaluate(() => getComputedStyle(document.body).color);
      await page.waitForFunction(([field, color]) => field && getComputedStyle(field).color === color, [
        await cardNumber.elementHandle(),
        ink,
      ] as const);
      for (const field of [cardNumber, other]) {
        const { color, opacity } = await field.evaluate((input) => {
          const { color, opacity } = getComputedStyle(input, '::placeholder');
          return { color, opacity };
        });
        assert.equal(opacity, '1');
        const ratio = contrast(color, paperColor);
        assert.ok(ratio >= 4.5, `${theme}: ${color} on ${paperColor} is ${ratio}`);
      }
    }
    assertQuiet();
  });
});

const isFocused = (place: Locator) => place.evaluate((element) => element === document.activeElement);

/** @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The relative luminance of a colour such as `rgb(51, 32, 46)`. */
function luminance(rgb: string): number {
  const channels = rgb.match(/[\d.]+/g)?.map(Number) ?? [];
  assert.equal(channels.length, 3, rgb);
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

const storedTheme = (page: Page) => page.evaluate(() => localStorage.getItem('theme'));

const frameColors = (page: Page) =>
  page
    .locator('meta[name="theme-color"]')
    .evaluateAll((metas) => metas.map((meta) => meta.getAttribute('content')));
