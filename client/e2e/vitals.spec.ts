import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { VITALS_PATH, type VitalName, type VitalsReport } from '#shared/vitals.ts';
import { ACTION_TIMEOUT_MS } from './run/browser.ts';
import { test } from './run/test.ts';

declare global {
  interface Window {
    /** Callbacks that wait until the browser is idle, in a test that decides when that is. */
    waitForIdle: IdleRequestCallback[];
  }
}

test.describe('web vitals', () => {
  test('R6.3 each value of a page view is reported once, without its address, even if the page is hidden more than once', async ({
    site,
  }) => {
    const page = await site.openEmpty();
    const reports = await watchReports(page);
    const reported = (): VitalName[] => reports.flatMap(namesIn);
    const loaded = page.waitForResponse('**/report-vitals-*');
    await page.goto(`${site.product.siteUrl}/?email=wilma@example.org`);
    await (await loaded).finished();
    await page.locator('summary').first().click();
    // The browser has painted after the input, and the measuring code, which runs when idle, has noted it.
    await page.waitForFunction(() => performance.getEntriesByType('first-input').length > 0);
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    await expect(async () => {
      await lookAway(page);
      assert.deepEqual(reported().toSorted(), ['CLS', 'FCP', 'FID', 'INP', 'LCP', 'TTFB']);
    }).toPass({ timeout: ACTION_TIMEOUT_MS });

    const before = reports.length;
    await shiftLayout(page);
    await page.locator('summary').first().click();
    await lookAway(page);
    // A report would have been sent before this.
    await page.evaluate(() => fetch('/robots.txt'));
    assert.equal(reports.length, before);
    assert.doesNotMatch(reports.join('\n'), /wilma|127\.0\.0\.1|http/);
  });
});

/** The reports that a page sends to the site from now on. */
async function watchReports(page: Page): Promise<readonly string[]> {
  const reports: string[] = [];
  // A beacon's body is known only where the request is intercepted.
  await page.route(`**${VITALS_PATH}`, (route) => {
    reports.push(route.request().postData() ?? '');
    return route.continue();
  });
  return reports;
}

function namesIn(report: string): VitalName[] {
  const { vitals }: VitalsReport = JSON.parse(report);
  return vitals.map(({ name }) => name);
}

/** Hides and shows the page, for the measuring code: the page of a headless browser is never really hidden. */
async function lookAway(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const state of ['hidden', 'visible']) {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }
  });
}

/** Pushes the page down from its top, where the browser does not make up for it, and waits until it has noticed. */
async function shiftLayout(page: Page): Promise<void> {
  await page.evaluate(async () => {
    scrollTo({ top: 0, behavior: 'instant' });
    const noticed = new Promise((resolve) => {
      new PerformanceObserver(resolve).observe({ type: 'layout-shift' });
    });
    const block = document.createElement('div');
    block.style.height = '300px';
    document.body.prepend(block);
    await noticed;
  });
}
