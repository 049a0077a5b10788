import type { Browser, Page } from '@playwright/test';
import { launchBrowser } from '#client/e2e/run/browser.ts';
import type { Figures } from './budgets.ts';
import { median } from './load.ts';

/** A phone on slow 4G, as Lighthouse throttles in the browser. */
const PHONE = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
};
/**
 * The phone's speed by Lighthouse's benchmark index, so that a slow machine is slowed down less. Chrome's developer
 * tools take 264 for a slow phone, and 1,000 for one in the middle.
 * @see https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md#cpu-throttling
 */
const PHONE_INDEX = 500;
const SLOW_4G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6 * 1024 * 1024 * 0.9) / 8,
  uploadThroughput: (750 * 1024 * 0.9) / 8,
};

const ROUNDS = 5;
/** Long enough for all that follows the load. */
const SETTLE_MS = 6_000;
const LONG_TASK_MS = 50;

type OfPhone = 'fcp' | 'lcp' | 'tbt' | 'press';

/** What a first visit with a cold cache was like, in milliseconds; `press` for the page with its scripts. */
type Visit = Figures<'fcp' | 'lcp' | 'tbt'> & { press?: number };

/** Visits, by turns, the page with its scripts and without them, as a throttled phone does. */
export async function measurePhone({ siteUrl }: { siteUrl: string }): Promise<Figures<OfPhone>> {
  const browser = await launchBrowser();
  try {
    const visits: { page: Visit; still: Visit }[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      visits.push({
        page: await visit(browser, siteUrl, true),
        still: await visit(browser, siteUrl, false),
      });
    const of = (which: 'page' | 'still', figure: keyof Visit): number =>
      median(visits.map(({ [which]: one }) => one[figure] ?? Number.NaN));
    return {
      fcp: of('page', 'fcp') / of('still', 'fcp'),
      lcp: of('page', 'lcp') / of('still', 'lcp'),
      tbt: Math.max(0, of('page', 'tbt') - of('still', 'tbt')),
      press: of('page', 'press'),
    };
  } finally {
    await browser.close();
  }
}

async function visit(browser: Browser, url: string, hasScripts: boolean): Promise<Visit> {
  const context = await browser.newContext(PHONE);
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', SLOW_4G);
    if (!hasScripts) await session.send('Network.setBlockedURLs', { urls: ['*/static/js/*'] });
    // The transpiler inserts calls of `__name`, a function that the page lacks.
    await page.addInitScript('globalThis.__name = (value) => value');
    await page.goto('about:blank');
    const rate = Math.max(1, (await page.evaluate(readBenchmarkIndex)) / PHONE_INDEX);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    await page.waitForTimeout(SETTLE_MS);
    const loading = await readLoading(page);
    if (!hasScripts) return loading;
    await page.locator('#register-stepper').scrollIntoViewIfNeeded();
    await page.waitForTimeout(SETTLE_MS / 2);
    return { ...loading, press: await page.evaluate(timePress) };
  } finally {
    await context.close();
  }
}

/** Runs in the page: the mean of how often it joins 10,000 letters and copies 100,000 numbers in a tenth of a second. */
function readBenchmarkIndex(): number {
  const timesInTenth = (work: (round: number) => void): number => {
    const start = performance.now();
    let rounds = 0;
    for (; performance.now() - start < 500; rounds += 1) work(rounds);
    return (rounds * 100) / (performance.now() - start);
  };
  const arrays = [0, 1].map(() => Array.from({ length: 100_000 }, (_, index): unknown => index));
  const joined = timesInTenth(() => {
    let text = '';
    for (let count = 0; count < 10_000; count += 1) text += 'a';
    if (text.length === 1) throw new Error('Kept, so that the loop is not left out');
  });
  const copied = timesInTenth((round) => {
    const [from = [], to = []] = round % 2 === 0 ? arrays : arrays.toReversed();
    for (let index = 0; index < from.length; index += 1) to[index] = from[index];
  });
  return (joined + copied) / 2;
}

/** What the page's own records tell of its loading. */
function readLoading(page: Page): Promise<Visit> {
  return page.evaluate(async (longMs) => {
    const recorded = (type: string) =>
      new Promise<PerformanceEntry[]>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true });
        setTimeout(resolve, 500, []);
      });
    const fcp = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN;
    const lcp = (await recorded('largest-contentful-paint')).at(-1)?.startTime ?? Number.NaN;
    const blocking = (await recorded('longtask'))
      .filter(({ startTime, duration }) => startTime + duration > fcp)
      .map(({ duration }) => Math.max(0, duration - longMs));
    return { fcp, lcp, tbt: blocking.reduce((sum, time) => sum + time, 0) };
  }, LONG_TASK_MS);
}

/** Runs in the page: from a press on the package until the contact step is painted. */
function timePress(): Promise<number> {
  return new Promise((resolve) => {
    const start = performance.now();
    const look = (): void => {
      if (document.querySelector('.contact-fields')) resolve(performance.now() - start);
      else requestAnimationFrame(look);
    };
    document.querySelector<HTMLElement>('.package-card button')?.click();
    requestAnimationFrame(look);
  });
}
