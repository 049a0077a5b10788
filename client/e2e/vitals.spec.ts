import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { VITALS_PATH, type VitalName, type VitalsReport } from '#shared/vitals.ts';
import { test } from './run/test.ts';
import { choosePackage } from './steps/registration.ts';

declare global {
  interface Window {
    /** Callbacks that wait until the browser is idle, in a test that decides when that is. */
    waitForIdle: IdleRequestCallback[];
  }
}

// What other suites do would be counted too.
test.use({ productEnv: {} });

test.describe('web vitals', () => {
  test('R6.3 a page view is counted once in each histogram, without its address', async ({ site }) => {
    const { page, assertQuiet } = await site.openEmpty();
    const loaded = page.waitForResponse('**/report-vitals-*');
    await page.goto(`${site.product.siteUrl}/?email=wilma@example.org`);
    await (await loaded).finished();
    await page.locator('summary').first().click();
    await untilInputMeasured(page);
    await page.goto('about:blank');
    await site.product.untilPrinted('/vitals', 1);

    const metrics = await readMetrics(site.product.opsUrl);
    for (const name of ['cls', 'fid_seconds', 'fcp_seconds', 'inp_seconds', 'lcp_seconds', 'ttfb_seconds']) {
      assert.equal(countOf(metrics, `web_vitals_${name}`), 1, name);
    }
    const vitals = metrics.split('\n').filter((line) => line.startsWith('web_vitals_'));
    assert.doesNotMatch(vitals.join('\n'), /wilma|127\.0\.0\.1|http/);
    assertQuiet();
  });

  test('R6.3 each value is reported once, without the address, even if the page is hidden more than once', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.openEmpty();
    const reports = await watchReports(page);
    const reported = (): VitalName[] => reports.flatMap(namesIn);
    await page.goto(`${site.product.siteUrl}/?email=wilma@example.org`);
    while (!reported().includes('CLS')) await lookAway(page);
    await shiftLayout(page);
    await lookAway(page);
    await page.locator('summary').first().click();
    while (!reported().includes('INP')) await lookAway(page);
    assert.deepEqual(reported(), [...new Set(reported())]);
    assert.doesNotMatch(reports.join('\n'), /wilma|127\.0\.0\.1|http/);
    assertQuiet();
  });

  test('R6.3 the measuring code is not loaded before the browser is idle', async ({ site }) => {
    const { page, assertQuiet } = await site.openEmpty();
    await page.addInitScript(() => {
      window.waitForIdle = [];
      window.requestIdleCallback = (callback) => window.waitForIdle.push(callback);
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(site.product.siteUrl);
    await choosePackage(page);
    assert.deepEqual(
      asked.filter((url) => url.includes('report-vitals')),
      [],
    );
    const loaded = page.waitForResponse('**/report-vitals-*');
    await page.evaluate(() => {
      for (const callback of window.waitForIdle) setTimeout(callback);
    });
    await loaded;
    assertQuiet();
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

/** Waits until the browser has painted after an input, and the measuring code, which runs when idle, has noted it. */
async function untilInputMeasured(page: Page): Promise<void> {
  await page.waitForFunction(() => performance.getEntriesByType('first-input').length > 0);
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
}

/** Pushes the page down, and waits until the browser has noticed. */
async function shiftLayout(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const noticed = new Promise((resolve) => {
      new PerformanceObserver(resolve).observe({ type: 'layout-shift' });
    });
    const block = document.createElement('div');
    block.style.height = '300px';
    document.body.prepend(block);
    await noticed;
  });
}

async function readMetrics(opsUrl: string): Promise<string> {
  const headers = { Authorization: `Basic ${Buffer.from('ops:ops').toString('base64')}` };
  const answer = await fetch(`${opsUrl}/metrics`, { headers });
  assert.equal(answer.status, 200);
  return answer.text();
}

/** How many values a histogram holds, whatever their rating. */
function countOf(metrics: string, name: string): number {
  const counts = [...metrics.matchAll(new RegExp(`^${name}_count\\{.*\\} (\\d+)$`, 'gm'))];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
