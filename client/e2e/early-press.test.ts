import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage } from './browser.ts';
import { untilHydrated } from './hydration.ts';
import { runProduct } from './run-product.ts';
import { moveTo } from './time-zone.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };

describe('before the application runs', () => {
  const run = runProduct();

  test('R2.4 R1.15 what is pressed is kept, and answered when somebody can', async (t) => {
    const { page, assertQuiet, close } = await openPage(run.browser, DESKTOP);
    t.after(close);
    const release = await holdApplicationBack(page);
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

  for (const [device, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP }))
    test(`R2.4 nothing moves on a ${device} when the application starts, so that a press falls where it was aimed`, async (t) => {
      const { page, assertQuiet, close } = await openPage(run.browser, viewport);
      t.after(close);
      await moveTo(page, 'Europe/London', 'en-GB');
      const release = await holdApplicationBack(page);
      await page.goto(run.product.siteUrl);
      const before = await placesOfAll(page);
      release();
      await untilHydrated(page);
      assert.ok(before.length > 400);
      const after = await placesOfAll(page);
      const moved = before.filter((place, index) => place !== after[index]);
      assert.deepEqual(moved, []);
      assertQuiet();
    });
});

/** Gives back what lets it come. */
async function holdApplicationBack(page: Page): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/static/js/start-application-*', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

function placesOfAll(page: Page): Promise<string[]> {
  return page.locator('body *').evaluateAll((elements) =>
    elements.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return `${element.tagName}.${element.className} ${[x, y, width, height].map(Math.round).join(' ')}`;
    }),
  );
}
