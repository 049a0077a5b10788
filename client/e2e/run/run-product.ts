import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { type Product, startProduct } from './product.ts';

interface RunOptions {
  command?: 'start' | 'dev';
  env?: NodeJS.ProcessEnv;
  /** For Chromium's command line. */
  switches?: readonly string[];
}

/** What the tests of one suite share. */
export interface ProductRun {
  product: Product;
  browser: Browser;
}

/** Runs the product and a browser for all tests of the suite it is called in; they are there once a test runs. */
export function runProduct({ command = 'start', env, switches }: RunOptions = {}): ProductRun {
  let product: Product | undefined;
  let browser: Browser | undefined;
  before(async () => {
    product = await startProduct(command, env);
    browser = await launchBrowser(switches);
  });
  after(async () => {
    await browser?.close();
    await product?.end();
  });
  return {
    get product() {
      return started(product);
    },
    get browser() {
      return started(browser);
    },
  };
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('It is not started before the first test');
  return part;
}
