import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findFreePort } from '#scripts/machine/ports.ts';
import { openPage } from './browser.ts';
import { runProduct } from './run-product.ts';

const OPS_PORT = String(await findFreePort());

describe('web vitals', () => {
  const run = runProduct({ env: { OPS_PORT } });

  test('R6.3 a view of the page comes out as histograms, once, without its address', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, { width: 1280, height: 900 });
    t.after(close);
    const reports: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/vitals')) reports.push(request.postData() ?? '');
    });
    const loaded = page.waitForResponse('**/report-vitals-*');
    await page.goto(`${run.product.siteUrl}/?email=wilma@example.org`);
    await (await loaded).finished();
    await page.locator('summary').first().click();
    await page.waitForFunction(
      () => performance.getEntriesByType('first-input').length + performance.eventCounts.size > 0,
    );
    await page.goto('about:blank');
    await run.product.untilPrinted('/vitals', 1);

    const metrics = await readMetrics();
    for (const name of ['cls', 'fid_seconds', 'fcp_seconds', 'inp_seconds', 'lcp_seconds', 'ttfb_seconds']) {
      assert.equal(countOf(metrics, `web_vitals_${name}`), 1, name);
    }
    const vitals = metrics.split('\n').filter((line) => line.startsWith('web_vitals_'));
    assert.doesNotMatch(vitals.join('\n'), /wilma|127\.0\.0\.1|http/);
    assert.doesNotMatch(reports.join('\n'), /wilma|http/);
    assertQuiet();
  });
});

async function readMetrics(): Promise<string> {
  const headers = { Authorization: `Basic ${Buffer.from('ops:ops').toString('base64')}` };
  const answer = await fetch(`http://127.0.0.1:${OPS_PORT}/metrics`, { headers });
  assert.equal(answer.status, 200);
  return answer.text();
}

/** How many values a histogram holds, whatever their rating. */
function countOf(metrics: string, name: string): number {
  const counts = [...metrics.matchAll(new RegExp(`^${name}_count\\{.*\\} (\\d+)$`, 'gm'))];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
