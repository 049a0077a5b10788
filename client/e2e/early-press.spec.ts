import assert from 'node:assert/strict';
import type { Page, Route } from '@playwright/test';
import { lazyPartCopy } from '#shared/content/page-frame.ts';
import { DESKTOP, expectNoise, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { APPLICATION, holdBack, LOADER, untilArrived, untilHydrated } from './steps/loading.ts';

test.describe('before the application runs', () => {
  test('R2.4 R1.15 presses are kept, and replayed after hydration', async ({ site }) => {
    const page = await site.openEmpty();
    const release = await holdBack(page, APPLICATION);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    const dark = page.getByRole('radio', { name: 'Dark' });
    await dark.click({ force: true, noWaitAfter: true });
    await page.locator('.package-card').getByRole('button').click();
    assert.equal(await dark.isChecked(), false);
    assert.equal(await page.getByRole('heading', { name: 'Get started now' }).count(), 0);

    release();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await dark.isChecked(), true);
  });

  test('R8 the footer’s link opens the policies even before their section is hydrated', async ({ site }) => {
    const page = await site.openEmpty(PHONE);
    await page.goto(site.product.siteUrl);
    await untilHydrated(page);
    const link = page.locator('footer').getByText('Payment and cancellation policies');
    await link.evaluate((element: HTMLElement) => element.click());
    await page.getByRole('heading', { name: 'Cancellation Policy' }).waitFor();
  });

  test('R1.15 any press starts the application, even if the page has not finished loading', async ({
    site,
  }) => {
    const page = await site.openEmpty();
    const runLoader = await holdBack(page, LOADER);
    const finishLoading = await holdBack(page, '**/*.woff2');
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    const dark = page.getByRole('radio', { name: 'Dark' });
    await dark.click({ force: true, noWaitAfter: true });
    runLoader();
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
    finishLoading();
  });

  test('R2.4 repeated presses of one button count once', async ({ site }) => {
    const page = await site.openEmpty();
    const release = await holdBack(page, APPLICATION);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    const choose = page.locator('.package-card').getByRole('button');
    for (const _ of [1, 2, 3]) await choose.click();
    assert.equal(await page.locator('html[data-pressed]').count(), 1);

    release();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await page.locator('html[data-pressed]').count(), 0);
    assert.equal(await page.locator('[aria-current="step"]').getByText('2').count(), 1);
  });

  for (const [what, fail] of [
    ['fails to load', (route: Route) => route.abort()],
    ['is gone after a new release', (route: Route) => route.fulfill({ status: 404 })],
  ] as const)
    test(`R7.1 if the application ${what}, a visitor who pressed is told; a retry and a reload work`, async ({
      site,
    }) => {
      const page = await site.openEmpty();
      expectNoise(page, /status of 404|ChunkLoadError/);
      await page.route(APPLICATION, fail);
      await page.goto(site.product.siteUrl);
      await page.locator('.package-card').getByRole('button').click();
      const notice = page.getByRole('alert').filter({ hasText: lazyPartCopy.notStarted });
      const reload = notice.getByRole('button', { name: lazyPartCopy.reload });
      await reload.waitFor();
      await page.unroute(APPLICATION);
      if (what === 'fails to load') {
        await notice.getByRole('button', { name: lazyPartCopy.retry }).press('Enter');
        await page.getByRole('heading', { name: 'Get started now' }).waitFor();
      } else {
        await reload.click();
        await untilHydrated(page);
      }
      assert.equal(await notice.isVisible(), false);
    });

  test('hydration leaves the text of the sections as the server rendered it', async ({ site }) => {
    const page = await site.openEmpty();
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    const sections = page.locator('#main section:not(section section)');
    await page.locator('footer').waitFor();
    const before = await sections.evaluateAll((all) => all.map((section) => section.textContent));
    await untilHydrated(page);
    const after = await sections.evaluateAll((all) => all.map((section) => section.textContent));
    assert.equal(before.length, 13);
    assert.deepEqual(after, before);
  });

  for (const [device, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP }))
    test(`R2.4 nothing moves on a ${device} when the application starts, so that a press hits its target`, async ({
      site,
    }) => {
      const page = await site.openEmpty({
        ...viewport,
        timezoneId: 'Europe/London',
        locale: 'en-GB',
      });
      const release = await holdBack(page, APPLICATION);
      await page.goto(site.product.siteUrl);
      await untilArrived(page);
      const before = await positionsOfAll(page);
      release();
      await untilHydrated(page);
      for (const id of ['schedule', 'register-stepper'] as const) {
        await page.locator(`#${id}`).scrollIntoViewIfNeeded();
        await untilHydrated(page, id);
      }
      await page.evaluate(() => scrollTo(0, 0));
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
