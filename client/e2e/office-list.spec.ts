import assert from 'node:assert/strict';
import { DESKTOP, openPage, type PageOptions, PHONE, type WatchedPage } from './run/browser.ts';
import { test as base } from './run/test.ts';

import { lookOnAllScreens } from './steps/office.ts';
import { becomeOlderBrowser, expectColorsInBoth } from './steps/older-browser.ts';

const NOW = new Date('2025-12-29T12:00:00-08:00');

interface TestFixtures {
  /** Opens the list with this many registrations. */
  openList(count: number, size: PageOptions): Promise<WatchedPage>;
}

const test = base.extend<TestFixtures>({
  openList: async ({ browser, scope }, use) => {
    const { manyRegistrations } = await import('#server/testing/many-registrations.ts');
    const { startOffice } = await import('#server/testing/test-office-pages.ts');
    await use(async (count, size) => {
      const office = await startOffice(scope, { now: () => NOW });
      await office.readModel.rebuild(await office.readModel.takeTurn(), manyRegistrations(count, NOW));
      const url = await office.serve();
      const watched = await openPage(browser, size);
      scope.after(watched.close);
      await watched.page.goto(`${url}/office`);
      return watched;
    });
  },
});

test.describe('the office’s list of registrations', () => {
  test('axe finds nothing with many registrations, one and none', async ({ openList }) => {
    for (const count of [120, 1, 0]) {
      const { page, assertQuiet } = await openList(count, DESKTOP);
      for (const details of await page.locator('summary').all()) await details.click();
      await lookOnAllScreens(page, `${count} registrations`);
      assertQuiet();
    }
  });

  test('has its colours in the oldest supported browsers', async ({ openList }) => {
    const { page } = await openList(1, DESKTOP);
    await becomeOlderBrowser(page);
    await expectColorsInBoth(page, [
      ['body', 'background-color', 'paper'],
      ['body', 'color', 'ink'],
      ['[type=search]', 'border-top-color', 'inkSoft'],
      ['td', 'border-bottom-color', 'rule'],
    ]);
  });

  test('shows one chart at every width, with text at least 11 pixels high', async ({ openList }) => {
    const { page } = await openList(120, PHONE);
    for (const width of [320, 390, 768, 1023, 1024, 1280, 1600]) {
      await page.setViewportSize({ width, height: 800 });
      const heights = await page.locator('svg text:visible').evaluateAll((texts) =>
        texts.map((text) => {
          const scale = text instanceof SVGGraphicsElement ? (text.getScreenCTM()?.a ?? 0) : 0;
          return scale * Number.parseFloat(getComputedStyle(text).fontSize);
        }),
      );
      assert.ok(heights.length > 0 && Math.min(...heights) >= 11, `${width}: ${Math.min(...heights)}`);
      assert.equal(await page.locator('svg:visible').count(), 1);
    }
  });

  test('can be searched, filtered and paged by keyboard, without a script', async ({ openList }) => {
    const { page } = await openList(120, DESKTOP);
    await page.getByRole('link', { name: 'Older' }).press('Enter');
    await page.getByText('51–100 of 120').waitFor();
    await page.getByLabel('Name, e-mail, phone or payment').fill('anna');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'searched for “anna”' }).waitFor();
    await page.getByRole('link', { name: /^Paid in full/ }).press('Enter');
    await page.getByRole('heading', { name: 'Paid in full, searched for “anna”' }).waitFor();
    const rows = page.getByRole('table').getByRole('row');
    for (const row of (await rows.all()).slice(1))
      assert.match((await row.textContent()) ?? '', /^Anna .*Paid in full/);
  });
});
