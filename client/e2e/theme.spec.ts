import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { readEdition, readOnSale } from '#scripts/content/read.ts';
import { edition, frameColor } from '#shared/content/compiled/on-sale.ts';
import { DESKTOP, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { blockLocalStorage, holdBack, untilHydrated } from './steps/loading.ts';
import { choosePackage, giveContact } from './steps/registration.ts';

const schemes = ['light', 'dark'] as const;
type Scheme = (typeof schemes)[number];

const { palette } = edition;
const LIGHT_PAPER = toRgb(frameColor.light);
const DARK_PAPER = toRgb(frameColor.dark);

test.describe('the theme', () => {
  test('R1.15 the theme follows the device until the visitor chooses one by keyboard, and again once she chooses the device', async ({
    site,
  }) => {
    const page = await site.open();
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

  test('R1.15 where local storage is blocked, the choice holds for the page', async ({ site }) => {
    const page = await site.openEmpty();
    await blockLocalStorage(page);
    await page.goto(site.product.siteUrl);
    await untilHydrated(page);
    await assert.rejects(storedTheme(page), /Access is denied/);
    await page.getByRole('radio', { name: 'Dark' }).check();
    assert.equal(await paper(page), DARK_PAPER);
  });

  test('R1.15 in the menu of a phone the choices are shown in words, and the keyboard reaches them', async ({
    site,
  }) => {
    const page = await site.open();
    await untilHydrated(page);
    const words = page.locator('.theme-switch .segment span');
    const shown = () =>
      words.evaluateAll((spans) => spans.map((span) => span.clientWidth > 20 && span.textContent));
    assert.deepEqual(await shown(), [false, false, false], 'in a row');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    assert.deepEqual(await shown(), ['As my device', 'Light', 'Dark']);
    const dark = page.getByRole('radio', { name: 'Dark' });
    for (
      let tabs = 0;
      tabs < 10 && !(await page.getByRole('radio').first().and(page.locator(':focus')).count());
      tabs += 1
    ) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('ArrowUp');
    await expect(dark).toBeFocused();
    assert.equal(await storedTheme(page), 'dark');
    await page.keyboard.press('Escape');
    await dark.waitFor({ state: 'hidden' });
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

test.describe('the illustration of the approach', () => {
  for (const device of schemes) {
    const other = device === 'light' ? 'dark' : 'light';
    test(`R1.9 R1.15 it matches a ${device} device, and the choice of ${other} there`, async ({ site }) => {
      const page = await site.open({ colorScheme: device });
      assert.equal(await schemeShown(page), device);

      await untilHydrated(page);
      await page.getByRole('radio', { name: other === 'dark' ? 'Dark' : 'Light' }).check();
      assert.equal(await schemeShown(page), other);
      await page.emulateMedia({ colorScheme: other });
      assert.equal(await schemeShown(page), other);
      await page.getByRole('radio', { name: 'As my device' }).check();
      assert.equal(await schemeShown(page), other);
    });
  }

  test('R1.9 it loads when a visitor comes near, and nothing moves then', async ({ site }) => {
    const page = await site.openEmpty(PHONE);
    const picture = /mindful-journey-.*\.svg/;
    let asked = 0;
    page.on('request', (request) => {
      if (picture.test(request.url())) asked += 1;
    });
    const arrive = await holdBack(page, picture);
    await page.goto(site.product.siteUrl);
    await untilHydrated(page);
    assert.equal(asked, 0);

    await illustration(page).scrollIntoViewIfNeeded();
    const before = await illustration(page).boundingBox();
    assert.ok(before && Math.abs(before.width / before.height - 640 / 760) < 0.01);
    arrive();
    await untilShown(page);
    assert.deepEqual(await illustration(page).boundingBox(), before);
  });

  test('R1.9 it is shown without scripts and with forced colours', async ({ site }) => {
    const page = await site.openEmpty({
      ...DESKTOP,
      javaScriptEnabled: false,
      colorScheme: 'dark',
    });
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(site.product.siteUrl);
    assert.equal(await schemeShown(page), 'dark');
  });
});

const illustration = (page: Page) => page.getByRole('img', { name: 'Illustration of a mindful journey' });

async function untilShown(page: Page): Promise<void> {
  await illustration(page).scrollIntoViewIfNeeded();
  await illustration(page).evaluate((image: HTMLImageElement) => image.decode());
}

/** The scheme of the picture on screen, recognised by the colour of the sky above the full moon. */
async function schemeShown(page: Page): Promise<Scheme | undefined> {
  await untilShown(page);
  const shown = await skyOf(page, await illustration(page).screenshot());
  const { written } = await readEdition(await readOnSale());
  return schemes.find((scheme) => toRgb(written.theme.art.sky[scheme]) === shown);
}

async function skyOf(page: Page, screenshot: Buffer): Promise<string> {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    const [x, y] = [Math.round(bitmap.width / 2), Math.round(bitmap.height / 10)];
    return `rgb(${[...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3).join(', ')})`;
  }, screenshot.toString('base64'));
}

/** `rgb(251, 246, 239)`, as browsers compute it, for `#fbf6ef`. */
function toRgb(hex: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return `rgb(${channels.join(', ')})`;
}
