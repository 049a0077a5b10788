import { PIXEL_ID } from '#client/e2e/steps/consent.ts';
import { type PixelEvent, type PixelStandIn, startPixelStandIn } from './pixel-stand-in.ts';
import { test as base } from './test.ts';

interface TestFixtures {
  /** The events of a name that the pixel was told. At the start of a test it knows nothing. */
  told(name: string): PixelEvent[];
}

interface WorkerFixtures {
  pixel: PixelStandIn;
}

/** `test` with a product that has a pixel. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  pixel: [
    async ({ workerScope }, use) => {
      const pixel = await startPixelStandIn();
      workerScope.after(pixel.close);
      await use(pixel);
    },
    { scope: 'worker' },
  ],
  productEnv: [
    ({ pixel }, use) => use({ META_PIXEL_ID: PIXEL_ID, META_PIXEL_SCRIPT_URL: pixel.scriptUrl }),
    { scope: 'worker' },
  ],
  told: [
    async ({ pixel }, use) => {
      pixel.forget();
      await use((name) => pixel.events().filter((event) => event.name === name));
    },
    { auto: true },
  ],
});
