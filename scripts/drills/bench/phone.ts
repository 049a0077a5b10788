import type { Browser, CDPSession, Page } from '@playwright/test';

/** A mid-range phone on slow 4G, as Lighthouse throttles in the browser. */
const PHONE = { width: 412, height: 823 };
const SLOWER = 4;
const SLOW_4G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6 * 1024 * 1024 * 0.9) / 8,
  uploadThroughput: (750 * 1024 * 0.9) / 8,
};

/** Long enough for all that follows the load. */
const SETTLE_MS = 6_000;

const LONG_TASK_MS = 50;

/** What a first visit with a cold cache was like; milliseconds, CLS aside. */
export interface PhoneFigures {
  fcp: number;
  lcp: number;
  tbt: number;
  cls: number;
  /** From a press on the package's button, as soon as that was painted, to the next step. */
  pressAtOnce?: number;
  /** The same, once the page is at rest. */
  pressLater?: number;
  /** From a press on a question to its answer. */
  faq: number;
}

interface Visit {
  url: string;
  /** Whether the page has the application's script. */
  application: boolean;
}

/** Visits a page as a throttled phone does, once for each thing that is measured. */
export async function measurePhone(browser: Browser, visit: Visit): Promise<PhoneFigures> {
  const loading = await visitOnce(browser, visit, readLoading);
  const faq = await visitOnce(browser, visit, (page) =>
    timePress(page, '#faq summary', '#faq details[open]'),
  );
  if (!visit.application) return { ...loading, faq };
  const pressAtOnce = await visitOnce(browser, visit, pressPackage);
  const pressLater = await visitOnce(browser, visit, async (page) => {
    await page.waitForTimeout(SETTLE_MS);
    await page.locator('#register-stepper').scrollIntoViewIfNeeded();
    await page.waitForTimeout(SETTLE_MS / 2);
    return pressPackage(page);
  });
  return { ...loading, faq, pressAtOnce, pressLater };
}

async function visitOnce<Result>(
  browser: Browser,
  { url }: Visit,
  act: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({
    viewport: PHONE,
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 1.75,
  });
  try {
    const page = await context.newPage();
    await throttle(await context.newCDPSession(page));
    // The transpiler inserts calls of `__name`, a function that the page lacks.
    await page.addInitScript('globalThis.__name = (value) => value');
    await page.addInitScript(watch);
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    return await act(page);
  } finally {
    await context.close();
  }
}

async function throttle(session: CDPSession): Promise<void> {
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_4G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
}

interface Watched {
  lcp: number;
  cls: number;
  tasks: { start: number; duration: number }[];
}

declare global {
  interface Window {
    watched: Watched;
  }
}

/** Runs in the page, before its own scripts. */
function watch(): void {
  const watched: Watched = { lcp: 0, cls: 0, tasks: [] };
  window.watched = watched;
  const observe = (type: string, note: (entry: PerformanceEntry) => void): void => {
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  };
  observe('largest-contentful-paint', ({ startTime }) => {
    watched.lcp = startTime;
  });
  observe('layout-shift', (entry) => {
    if ('value' in entry) watched.cls += Number(entry.value);
  });
  observe('longtask', ({ startTime, duration }) => {
    watched.tasks.push({ start: startTime, duration });
  });
}

async function readLoading(page: Page) {
  await page.waitForTimeout(SETTLE_MS);
  const [fcp, { lcp, cls, tasks }] = await page.evaluate(
    () =>
      [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, window.watched] as const,
  );
  const blocking = tasks
    .filter(({ start, duration }) => start + duration > fcp)
    .map(({ duration }) => Math.max(0, duration - LONG_TASK_MS));
  return { fcp, lcp, cls, tbt: blocking.reduce((sum, time) => sum + time, 0) };
}

function pressPackage(page: Page): Promise<number> {
  return timePress(page, '.package-card button', '.contact-fields');
}

/** From a press until an element is painted. */
async function timePress(page: Page, pressed: string, answer: string): Promise<number> {
  await page.waitForSelector(pressed, { state: 'attached' });
  return page.evaluate(
    ([press, wanted]) =>
      new Promise<number>((resolve) => {
        const start = performance.now();
        const look = (): void => {
          if (document.querySelector(wanted)) resolve(performance.now() - start);
          else requestAnimationFrame(look);
        };
        document.querySelector<HTMLElement>(press)?.click();
        requestAnimationFrame(look);
      }),
    [pressed, answer] as const,
  );
}
