import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { lazyPartCopy } from '#shared/content/page-frame.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { DESKTOP, expectNoise, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { holdBack, PAGE_SCRIPT, untilHydrated } from './steps/loading.ts';

test.describe('before the page’s script runs', () => {
  test('R2.4 R1.15 a press waits, and is answered once its island is hydrated; repeated ones count once', async ({
    site,
  }) => {
    const page = await site.openEmpty();
    const release = await holdBack(page, PAGE_SCRIPT);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    const dark = page.getByRole('radio', { name: 'Dark' });
    await dark.click({ force: true, noWaitAfter: true });
    for (const _ of [1, 2, 3]) await page.locator('.package-card').getByRole('button').click();
    assert.equal(await page.locator('[data-pressed]').count(), 2);
    assert.equal(await dark.isChecked(), false);
    assert.equal(await page.getByRole('heading', { name: 'Get started now' }).count(), 0);

    release();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await dark.isChecked(), true);
    assert.equal(await page.locator('[data-pressed]').count(), 0);
    assert.equal(await page.locator('[aria-current="step"]').getByText('2').count(), 1);
  });

  test('R7.1 if the script does not load, a visitor who pressed is told, and a reload works', async ({
    site,
  }) => {
    const page = await site.openEmpty();
    expectNoise(page, /status of 404/);
    await page.route(PAGE_SCRIPT, (route) => route.fulfill({ status: 404 }));
    await page.goto(site.product.siteUrl);
    const notice = page.getByRole('alert').filter({ hasText: lazyPartCopy.notStarted });
    assert.equal(await notice.isVisible(), false);
    await page.locator('.package-card').getByRole('button').click();
    await page.unroute(PAGE_SCRIPT);
    await notice.getByRole('link', { name: lazyPartCopy.reload }).click();
    await untilHydrated(page);
    assert.equal(await notice.isVisible(), false);
  });

  for (const [device, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP }))
    test(`R2.4 nothing moves on a ${device} when the islands are hydrated, so that a press hits its target`, async ({
      site,
    }) => {
      const page = await site.openEmpty({ ...viewport, timezoneId: 'Europe/London', locale: 'en-GB' });
      await page.goto(site.product.siteUrl);
      const release = await holdBack(page, PAGE_SCRIPT);
      // Loaded again, every section has its final size at once.
      await page.reload({ waitUntil: 'commit' });
      // It waits for the script before it has loaded.
      await page.waitForFunction(() => document.styleSheets.length === 2);
      await loadFonts(page);
      const before = await positionsOfAll(page);
      release();
      for (const id of ['menu', 'schedule', REGISTER_SECTION_ID]) await untilHydrated(page, id);
      assert.ok(before.length > 400);
      const after = await positionsOfAll(page);
      assert.equal(after.length, before.length);
      const moved = before.filter((position, index) => position !== after[index]);
      assert.deepEqual(moved, []);
    });
});

/** The positions of all elements, except those that are added to the collapsed policies later. */
function positionsOfAll(page: Page): Promise<string[]> {
  return page
    .locator('body *:not(.policy-details > :not(summary), .policy-details > * *)')
    .evaluateAll((elements) =>
      elements.map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return `${element.tagName}.${element.className} ${[x, y, width, height].map(Math.round).join(' ')}`;
      }),
    );
}

test.describe('sections that are laid out when a visitor comes near', () => {
  test('R1.14 a call to action leads exactly to the registration, also before the script has loaded', {
    tag: '@journey',
  }, async ({ site }) => {
    const page = await site.openEmpty({ ...PHONE, reducedMotion: 'no-preference' });
    const release = await holdBack(page, PAGE_SCRIPT);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    await page.locator('footer').waitFor();
    await loadFonts(page);
    await page.getByRole('link', { name: 'Reserve your spot now' }).first().click();
    await page.waitForFunction(isAtTop, '#register-stepper');
    release();
    await untilHydrated(page, REGISTER_SECTION_ID);
    assert.ok(await page.evaluate(isAtTop, '#register-stepper'), 'it scrolled away');
  });

  test('R1.14 past a schedule that another time zone makes longer, too', { tag: '@journey' }, async ({
    site,
  }) => {
    const visitor = { ...PHONE, timezoneId: 'Australia/Sydney', reducedMotion: 'no-preference' } as const;
    const page = await site.openEmpty(visitor);
    await page.goto(site.product.siteUrl);
    for (const id of ['schedule', REGISTER_SECTION_ID]) await untilHydrated(page, id);
    const isThere = page.evaluate(
      () => new Promise((resolve) => addEventListener('scrollend', resolve, { once: true })),
    );
    await page.getByRole('link', { name: 'Reserve your spot now' }).first().click();
    await isThere;
    assert.ok(await page.evaluate(isAtTop, '#register-stepper'), 'it stopped elsewhere');
  });

  test('an address with a fragment opens the page exactly at its section, and a reload stays there', async ({
    site,
  }) => {
    const page = await site.openEmpty(PHONE);
    await page.goto(`${site.product.siteUrl}#faq`);
    await page.waitForFunction(isAtTop, '#faq');
    await page.goto(site.product.siteUrl);
    await page.locator('#faq').evaluate((section) => section.scrollIntoView());
    await page.waitForFunction(isAtTop, '#faq');
    await page.reload();
    await expect(page.locator('#faq-title')).toBeInViewport();
  });
});

/** Runs in the page. Whether an element is at the top of the window. */
function isAtTop(selector: string): boolean {
  const { top } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
  return top !== undefined && Math.abs(top) < 20;
}

/** A late font may change a line, which is not what moves here. */
async function loadFonts(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const family of ['Fraunces Variable', 'Figtree Variable'])
      await document.fonts.load(`1em "${family}"`);
  });
}
