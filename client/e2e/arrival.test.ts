import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilArrived } from './arrival.ts';
import { openPage } from './browser.ts';
import { holdBack, LOADER } from './hold-back.ts';
import { untilHydrated } from './hydration.ts';
import { runProduct } from './run-product.ts';

const PHONE = { width: 390, height: 844 };

describe('the first view comes first', () => {
  const run = runProduct();

  test('sections far below are laid out after it, one by one, and the page asks nothing of them before', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, PHONE);
    t.after(close);
    const release = await holdBack(page, LOADER);
    await page.goto(run.product.siteUrl, { waitUntil: 'commit' });
    await page.locator('footer').waitFor({ state: 'attached' });
    assert.deepEqual(await laidOut(page), ['hero', 'partners', 'transform']);

    release();
    await untilArrived(page);
    assert.equal((await laidOut(page)).length, 12);
    assertQuiet();
  });

  test('R2.4 a call to action leads to the registration from the first moment on', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, {
      ...PHONE,
      reducedMotion: 'no-preference',
    });
    t.after(close);
    const release = await holdBack(page, LOADER);
    await page.goto(run.product.siteUrl, { waitUntil: 'commit' });
    const arrived = page.evaluate(
      () => new Promise((resolve) => addEventListener('scrollend', resolve, { once: true })),
    );
    await page.getByRole('link', { name: 'Reserve your spot now' }).first().click();
    await arrived;
    const top = await page.locator('#register-stepper').evaluate((it) => it.getBoundingClientRect().top);
    assert.ok(Math.abs(top) < 20, `${top} px away`);

    release();
    await untilHydrated(page, '#register-stepper');
    assertQuiet();
  });

  test('what a visitor reads stays where it is while the sections around are laid out', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, PHONE);
    t.after(close);
    const release = await holdBack(page, LOADER);
    await page.goto(run.product.siteUrl, { waitUntil: 'commit' });
    const title = page.locator('#author-title');
    await title.scrollIntoViewIfNeeded();
    const top = () => title.evaluate((it) => it.getBoundingClientRect().top);
    const before = await top();
    await page.evaluate(() => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) document.title = `moved: ${JSON.stringify(entry)}`;
      }).observe({ type: 'layout-shift' });
    });

    release();
    await untilArrived(page);
    assert.ok(Math.abs((await top()) - before) < 1);
    assert.doesNotMatch(await page.title(), /moved/);
    assertQuiet();
  });

  test('an address within the page, and a reload, find every section in its place', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, PHONE);
    t.after(close);
    await page.goto(`${run.product.siteUrl}#faq`);
    const top = () => page.locator('#faq').evaluate((it) => Math.round(it.getBoundingClientRect().top));
    assert.equal(await top(), 16);

    await page.evaluate(() => scrollBy(0, -300));
    await page.reload();
    assert.equal(await top(), 316);
    assertQuiet();
  });

  test('without scripts everything is laid out at once', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, { ...PHONE, javaScriptEnabled: false });
    t.after(close);
    await page.goto(run.product.siteUrl);
    assert.equal((await laidOut(page)).length, 12);
    assertQuiet();
  });
});

/** The ids of the sections whose content has its place. */
function laidOut(page: Page): Promise<string[]> {
  return page
    .locator('.section')
    .evaluateAll((sections) =>
      sections
        .filter(({ firstElementChild: it }) => it?.checkVisibility({ contentVisibilityAuto: true }))
        .map(({ id }) => id),
    );
}
