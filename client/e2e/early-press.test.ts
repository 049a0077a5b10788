import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPage } from './browser.ts';
import { untilHydrated } from './hydration.ts';
import { runProduct } from './run-product.ts';

const DESKTOP = { width: 1280, height: 900 };

describe('before the application runs', () => {
  const run = runProduct();

  test('R2.4 R1.15 what is pressed is kept, and answered when somebody can', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, DESKTOP);
    t.after(close);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/static/js/start-application-*', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(run.product.siteUrl, { waitUntil: 'commit' });
    const dark = page.getByRole('radio', { name: 'Dark' });
    await dark.click({ force: true, noWaitAfter: true });
    await page.locator('.package-card').getByRole('button').click();
    assert.equal(await dark.isChecked(), false);
    assert.equal(await page.getByRole('heading', { name: 'Get started now' }).count(), 0);

    release();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await dark.isChecked(), true);
    assertQuiet();
  });

  test('R7 React takes over every part as the server rendered it, the still ones too', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, DESKTOP);
    t.after(close);
    await page.goto(run.product.siteUrl, { waitUntil: 'commit' });
    const sections = page.locator('#main section');
    await page.locator('footer').waitFor();
    const before = await sections.evaluateAll((all) => all.map((section) => section.textContent));
    await untilHydrated(page);
    const after = await sections.evaluateAll((all) => all.map((section) => section.textContent));
    assert.equal(before.length, 13);
    assert.deepEqual(after.slice(0, 5), before.slice(0, 5));
    assertQuiet();
  });
});
