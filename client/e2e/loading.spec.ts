import assert from 'node:assert/strict';
import type { Page, Route } from '@playwright/test';
import { lazyPartCopy } from '#shared/content/page-frame.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { DESKTOP, expectNoise, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { APPLICATION, holdBack, LOADER, untilArrived, untilHydrated } from './steps/loading.ts';

test.describe('before the application runs', () => {
  test('R2.4 R1.15 presses are kept, and replayed after hydration; repeated ones of a button count once', async ({
    site,
  }) => {
    const page = await site.openEmpty();
    const release = await holdBack(page, APPLICATION);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    const dark = page.getByRole('radio', { name: 'Dark' });
    await dark.click({ force: true, noWaitAfter: true });
    for (const _ of [1, 2, 3]) await page.locator('.package-card').getByRole('button').click();
    assert.equal(await page.locator('html[data-pressed]').count(), 1);
    assert.equal(await dark.isChecked(), false);
    assert.equal(await page.getByRole('heading', { name: 'Get started now' }).count(), 0);

    release();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await dark.isChecked(), true);
    assert.equal(await page.locator('html[data-pressed]').count(), 0);
    assert.equal(await page.locator('[aria-current="step"]').getByText('2').count(), 1);
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

test.describe('the first view is laid out first', () => {
  test.use({ visitor: PHONE });

  test('sections far below the first view are laid out after it, one by one', async ({ site }) => {
    const page = await site.openEmpty();
    const release = await holdBack(page, LOADER);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    await page.waitForFunction(countLaidOut, 3);
    assert.deepEqual(await laidOut(page), ['hero', 'partners', 'transform']);

    const counts = page.evaluate(watchArrival);
    release();
    const seen = await counts;
    assert.ok(seen.length > 4, `laid out after each frame: ${seen}`);
    assert.equal(seen.at(-1), 12);
  });

  test('R1.14 a call to action leads to the registration even before the page’s script has loaded', async ({
    site,
  }) => {
    const page = await site.openEmpty({
      ...PHONE,
      reducedMotion: 'no-preference',
    });
    const release = await holdBack(page, LOADER);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    await loadFonts(page);
    await page.getByRole('link', { name: 'Reserve your spot now' }).first().click();
    await page.waitForFunction(isAtTop, '#register-stepper');

    release();
    await untilHydrated(page, REGISTER_SECTION_ID);
    await page.waitForFunction(() => document.readyState === 'complete');
    assert.ok(await page.evaluate(isAtTop, '#register-stepper'), 'it scrolled away');
  });

  test('the text on screen does not move while the sections around it are laid out', async ({ site }) => {
    const page = await site.openEmpty();
    const release = await holdBack(page, LOADER);
    await page.goto(site.product.siteUrl, { waitUntil: 'commit' });
    const title = page.locator('#author-title');
    await title.scrollIntoViewIfNeeded();
    await loadFonts(page);
    const before = await topOf(page, '#author-title');
    release();
    await untilArrived(page);
    // The browser scrolls by whole pixels, and sections are not that high.
    const moved = Math.abs((await topOf(page, '#author-title')) - before);
    assert.ok(moved < 1, `moved by ${moved} px`);
  });

  test('an address with a fragment opens the page exactly at its section', async ({ site }) => {
    const page = await site.openEmpty();
    await page.goto(`${site.product.siteUrl}#faq`);
    assert.equal(Math.round(await topOf(page, '#faq')), 16);
  });

  test('a reload restores the scroll position', async ({ site }) => {
    const page = await site.open();
    await untilArrived(page);
    await page.locator('#faq').evaluate((it) => it.scrollIntoView());
    const before = await topOf(page, '#faq');
    await holdBack(page, LOADER);
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => scrollY > 0);
    // Fonts that came too late for the first load are cached for the second, so lines may break at other places.
    const moved = Math.abs((await topOf(page, '#faq')) - before);
    assert.ok(moved < 100, `moved by ${moved} px`);
    assert.equal((await laidOut(page)).length, 12);
  });

  test('without scripts everything is laid out at once', { tag: '@journey' }, async ({ site }) => {
    const page = await site.open({ ...PHONE, javaScriptEnabled: false });
    assert.equal((await laidOut(page)).length, 12);
  });
});

/** Runs in the page. Whether an element is at the top of the window. */
function isAtTop(selector: string): boolean {
  const { top } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
  return top !== undefined && Math.abs(top) < 20;
}

function topOf(page: Page, selector: string): Promise<number> {
  return page.locator(selector).evaluate((it) => it.getBoundingClientRect().top);
}

/** The ids of the sections whose content is laid out. */
function laidOut(page: Page): Promise<string[]> {
  return page
    .locator('.section')
    .evaluateAll((sections) =>
      sections
        .filter(({ firstElementChild: it }) => it?.checkVisibility({ contentVisibilityAuto: true }))
        .map(({ id }) => id),
    );
}

/** Runs in the page. Whether exactly this many sections are laid out. */
function countLaidOut(count: number): boolean {
  const contents = [...document.querySelectorAll('.section > *')];
  return contents.filter((it) => it.checkVisibility({ contentVisibilityAuto: true })).length === count;
}

/** Runs in the page. The different numbers of laid-out sections, read in each frame until all are laid out. */
async function watchArrival(): Promise<number[]> {
  const seen = new Set<number>();
  for (;;) {
    const contents = [...document.querySelectorAll('.section > *')];
    seen.add(contents.filter((it) => it.checkVisibility({ contentVisibilityAuto: true })).length);
    if (!('arriving' in document.documentElement.dataset)) return [...seen];
    await new Promise((nextFrame) => requestAnimationFrame(nextFrame));
  }
}

/** A late font may change a line, which is not what moves here: `fonts.spec.ts` looks at that. */
async function loadFonts(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const family of ['Fraunces Variable', 'Figtree Variable'])
      await document.fonts.load(`1em "${family}"`);
  });
}
