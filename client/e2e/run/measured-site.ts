import { PIXEL_ID } from '#client/e2e/steps/consent.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import type { PixelStandIn } from './pixel-stand-in.ts';
import { runProduct } from './run-product.ts';

/** Runs the product with a pixel for all tests of the suite it is called in. */
export function runMeasuredSite(pixel: PixelStandIn) {
  const run = runProduct({ env: { META_PIXEL_ID: PIXEL_ID, META_PIXEL_SCRIPT_URL: pixel.scriptUrl } });
  return {
    run,
    openTab: run.openTab,
    /** Opens the site as somebody new, of whom the pixel knows nothing. */
    openSite(t: TestScope, path = '') {
      pixel.forget();
      return run.openSite(t, { path });
    },
    /** The events of a name that the pixel was told. */
    told: (name: string) => pixel.events().filter((event) => event.name === name),
  };
}
