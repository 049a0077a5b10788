import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { readEdition, readOnSale } from '#scripts/content/read-edition.ts';
import { DESKTOP, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { holdBack, untilHydrated } from './steps/loading.ts';
import { toRgb } from './steps/looks.ts';

const schemes = ['light', 'dark'] as const;
type Scheme = (typeof schemes)[number];

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
