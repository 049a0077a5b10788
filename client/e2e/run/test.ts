import { test as base, type Page } from '@playwright/test';
import { inScope, type TestScope } from '#server/testing/clean-up.ts';
import { DESKTOP, openPage, type PageOptions } from './browser.ts';
import { outcomeOf } from './outcome.ts';
import { type Product, sharedProduct, startProduct } from './product.ts';

/** To start a product guards only against hanging. */
const START_MS = 180_000;

export interface Site extends ReturnType<typeof outcomeOf> {
  product: Product;
  openEmpty(options?: Partial<PageOptions>): Promise<Page>;
  open(options?: Partial<PageOptions> & { path?: string }): Promise<Page>;
  /**
   * Opens another tab for the visitor of a page, in front: those behind it are drawn once a second, and every press waits
   * for that.
   */
  openTab(page: Page, url?: string): Promise<Page>;
}

interface TestFixtures {
  visitor: PageOptions;
  site: Site;
  openEmpty: Site['openEmpty'];
  scope: TestScope;
}

export interface WorkerFixtures {
  /** Variables for a product of its own; without them it is the one that all suites share. */
  productEnv: NodeJS.ProcessEnv | undefined;
  /** The product: visitors of the shared one need e-mail addresses that no other test uses. */
  product: Product;
  workerScope: TestScope;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  productEnv: [undefined, { option: true, scope: 'worker' }],
  product: [
    async ({ productEnv, workerScope }, use) => {
      const shared = productEnv ? undefined : sharedProduct();
      if (shared) return use(shared);
      const own = await startProduct('start', productEnv);
      workerScope.after(own.end);
      await use(own);
    },
    { scope: 'worker', timeout: START_MS },
  ],
  workerScope: [({}, use) => inScope(use), { scope: 'worker', timeout: START_MS }],
  visitor: [DESKTOP, { option: true }],
  scope: ({}, use) => inScope(use),
  openEmpty: ({ browser, visitor, scope }, use) =>
    use((options) => openPage(browser, scope, { ...visitor, ...options })),
  site: async ({ product, openEmpty }, use) => {
    await use({
      ...outcomeOf(product),
      product,
      openEmpty,
      async open({ path = '', ...options } = {}) {
        const page = await openEmpty(options);
        await page.goto(`${product.siteUrl}/${path}`);
        return page;
      },
      async openTab(page, url = product.siteUrl) {
        const tab = await page.context().newPage();
        await tab.goto(url);
        return tab;
      },
    });
  },
});
