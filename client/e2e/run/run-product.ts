import { after, before, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { DESKTOP, openPage, type PageOptions, type WatchedPage } from './browser.ts';
import { countPaymentsOf } from './payments.ts';
import { type OwnProduct, type Product, sharedProduct, startProduct } from './product.ts';
import { launchTestBrowser, sharedBrowser } from './shared-browser.ts';

interface RunOptions {
  /** Given, the suite has a product of its own. */
  command?: 'start' | 'dev';
  /** Likewise. */
  env?: NodeJS.ProcessEnv | undefined;
  /** For Chromium's command line: given, the suite has a browser of its own. */
  switches?: readonly string[];
  /** How a visitor of this suite sees the site, unless a test says otherwise. */
  visitor?: PageOptions;
}

/** What the tests of one suite share. */
export interface ProductRun {
  product: Product;
  browser: Browser;
  /** Opens an empty page for somebody new, until the test ends. */
  openEmpty(t: TestContext, options?: Partial<PageOptions>): Promise<WatchedPage>;
  /** Opens the site, at its root or at a path of it, for somebody new, until the test ends. */
  openSite(t: TestContext, options?: Partial<PageOptions> & { path?: string }): Promise<WatchedPage>;
  /**
   * Opens another tab for the visitor of a page, in front: those behind it are drawn once a second, and every press waits
   * for that.
   */
  openTab(page: Page, url?: string): Promise<Page>;
  /** How many customers, payments and charges the sandbox holds for an e-mail address. */
  countPayments(email: string): ReturnType<typeof countPaymentsOf>;
}

/**
 * Runs the product and a browser for all tests of the suite it is called in; they are there once a test runs. Suites
 * that want nothing special of the product share one in a whole run of `npm test`: their visitors need e-mail addresses
 * that no other suite uses.
 */
export function runProduct({ command, env, switches, visitor = DESKTOP }: RunOptions = {}): ProductRun {
  let own: OwnProduct | undefined;
  let product: Product | undefined;
  let ownBrowser: Browser | undefined;
  let browser: Browser | undefined;
  before(async () => {
    product = command || env ? undefined : sharedProduct();
    if (!product) {
      own = await startProduct(command ?? 'start', env);
      product = own;
    }
    ownBrowser = switches && (await launchTestBrowser(switches));
    browser = ownBrowser ?? (await sharedBrowser());
  });
  after(async () => {
    await ownBrowser?.close();
    await own?.end();
  });
  const openEmpty: ProductRun['openEmpty'] = async (t, options) => {
    const watched = await openPage(started(browser), { ...visitor, ...options });
    t.after(watched.close);
    return watched;
  };
  return {
    get product() {
      return started(product);
    },
    get browser() {
      return started(browser);
    },
    openEmpty,
    async openSite(t, { path = '', ...options } = {}) {
      const watched = await openEmpty(t, options);
      await watched.page.goto(`${started(product).siteUrl}/${path}`);
      return watched;
    },
    async openTab(page, url = started(product).siteUrl) {
      const tab = await page.context().newPage();
      await tab.goto(url);
      return tab;
    },
    countPayments: (email) => countPaymentsOf(email, started(product).sandboxUrl),
  };
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('It is not started before the first test');
  return part;
}
