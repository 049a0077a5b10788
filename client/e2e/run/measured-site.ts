import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage } from './browser.ts';
import { PIXEL_ID } from '#client/e2e/steps/consent.ts';
import type { PixelStandIn } from './pixel-stand-in.ts';
import { runProduct } from './run-product.ts';

const DESKTOP = { width: 1280, height: 900 };

/** Runs the product with a pixel for all tests of the suite it is called in. */
export function runMeasuredSite(pixel: PixelStandIn) {
  const run = runProduct({ env: { META_PIXEL_ID: PIXEL_ID, META_PIXEL_SCRIPT_URL: pixel.scriptUrl } });
  return {
    run,
    /** Opens the site as somebody new, of whom the pixel knows nothing. */
    async openSite(t: TestContext, path = '') {
      pixel.forget();
      const watched = await openPage(run.browser, DESKTOP);
      t.after(watched.close);
      await watched.page.goto(`${run.product.siteUrl}/${path}`);
      return watched;
    },
    /** Opens the site for the same visitor again, beside a page of hers. */
    async openTab(page: Page): Promise<Page> {
      const tab = await page.context().newPage();
      await tab.goto(run.product.siteUrl);
      return tab;
    },
    /** The events of a name that the pixel was told. */
    told: (name: string) => pixel.events().filter((event) => event.name === name),
  };
}
