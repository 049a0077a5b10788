import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { holdBack, LOADER, untilArrived, untilHydrated } from './steps/loading.ts';

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
