import assert from 'node:assert/strict';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { type Site, test } from './run/test.ts';
import { untilHydrated } from './steps/loading.ts';
import { becomeOlderBrowser, expectColors, expectColorsInBoth } from './steps/looks.ts';
import { openOwnPage } from './steps/own-page.ts';
import { choosePackage, giveContact } from './steps/registration.ts';

test.describe('the oldest supported browsers', () => {
  test.use({ visitor: PHONE });

  async function openOlder(site: Site, colorScheme: 'light' | 'dark' = 'light') {
    const page = await site.openEmpty({ colorScheme });
    await becomeOlderBrowser(page);
    await page.goto(site.product.siteUrl);
    return page;
  }

  for (const scheme of ['light', 'dark'] as const) {
    test(`the page and the steps have their colours, on a device that is ${scheme}`, async ({ site }) => {
      const page = await openOlder(site, scheme);
      await expectColors(page, scheme, [
        ['body', 'background-color', 'paper'],
        ['body', 'color', 'ink'],
        ['.hero .button:not(.button--quiet)', 'background-color', 'accent'],
        ['.hero .button:not(.button--quiet)', 'color', 'onAccent'],
        ['.site-menu-button', 'border-top-color', 'inkSoft'],
        ['.site-menu', 'background-color', 'paper'],
      ]);
      await expectColors(page, 'dark', [['.section--deep', 'color', 'ink']]);
      const fill = (part: string) =>
        page
          .locator(`.hero-art .art-${part}`)
          .first()
          .evaluate((shape) => getComputedStyle(shape).fill);
      assert.notEqual(await fill('wall'), await fill('deep'));

      await choosePackage(page);
      await expectColors(page, scheme, [['.field__control', 'border-top-color', 'inkSoft']]);
      // The answers in place of the product's let no page reach the payment sandbox.
      expectNoise(page, /./);
      await giveContact(page);
      await expectColors(page, scheme, [['.field__control', 'border-top-color', 'inkSoft']]);
    });
  }

  test('menu, privacy panel and a chosen theme work as elsewhere', async ({ site }) => {
    const page = await openOlder(site);
    await untilHydrated(page);
    const button = page.getByRole('button', { name: 'Menu' });
    const menu = page.locator('.site-menu');
    assert.equal(await menu.isVisible(), false);
    const closings = [
      ['its button', () => button.click()],
      ['a press beside it', () => page.locator('h1').click({ position: { x: 2, y: 2 } })],
      ['Escape', () => page.keyboard.press('Escape')],
      ['a link in it', () => menu.getByRole('link', { name: 'Schedule' }).click()],
    ] as const;
    for (const [by, close] of closings) {
      await button.click();
      assert.equal(await menu.isVisible(), true, by);
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      await close();
      assert.equal(await menu.isVisible(), false, by);
      assert.equal(await button.getAttribute('aria-expanded'), 'false');
    }
    assert.equal(new URL(page.url()).hash, '#schedule');

    await button.click();
    await page.getByRole('radio', { name: 'Dark' }).check();
    await expectColors(page, 'dark', [
      ['body', 'background-color', 'paper'],
      ['.segment:nth-of-type(3)', 'background-color', 'ink'],
    ]);
    await page.setViewportSize({ width: 1280, height: 900 });
    assert.equal(await menu.isVisible(), true, 'in a row');

    const panel = page.getByRole('dialog', { name: 'What we keep about you' });
    await page.getByRole('button', { name: 'Your privacy' }).click();
    await panel.waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'hidden' });
  });

  for (const [name, path, button] of [
    ['the error page', '/nowhere', ['.button', 'background-color', 'accent']],
    ['the terms page', termsPathOf(facts, terms), ['.button--quiet', 'border-top-color', 'inkSoft']],
  ] as const) {
    test(`${name} has its colours`, async ({ site }) => {
      const page = await openOlder(site);
      await page.goto(`${site.product.siteUrl}${path}`);
      await expectColorsInBoth(page, [
        ['body', 'background-color', 'paper'],
        ['body', 'color', 'ink'],
        button,
      ]);
      expectNoise(page, /status of 404/);
    });
  }

  test('her page has its colours', async ({ site }) => {
    const { page } = await openOwnPage(site, 'older-browser@example.org');
    await becomeOlderBrowser(page);
    await expectColorsInBoth(page, [
      ['body', 'background-color', 'paper'],
      ['body', 'color', 'ink'],
      ['.button:not(.button--quiet)', 'background-color', 'accent'],
    ]);
  });
});
