import assert from 'node:assert/strict';
import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from '@playwright/test';
import type { TestScope } from '#server/testing/clean-up.ts';

const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  // No page reaches anything outside this machine, and neither do Chromium's own calls home.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
  // The headless shell would fit letters to whole pixels, which changes how wide a text is.
  '--font-render-hinting=none',
];
const NOT_FOUND = 'net::ERR_NAME_NOT_RESOLVED';

/**
 * Switches that save a tenth of the CPU time of a browser test: scripts run too briefly here to be worth
 * optimizing, and pages need no processes of their own. Nothing that measures speed may use them.
 */
export const LIGHT = ['--js-flags=--no-maglev --no-opt', '--renderer-process-limit=1'];

/** How to start the Chromium that `npm test` found, or the machine's own, without a window, as visitors have it. */
export function launchOptions(switches: readonly string[] = []): LaunchOptions {
  const asRoot = process.getuid?.() === 0;
  return {
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [...QUIET, ...switches, ...(asRoot ? ['--no-sandbox'] : [])],
    // The payment step guesses the country by it.
    env: { ...process.env, TZ: 'UTC' },
  };
}

/** Starts that browser outside of a test. The caller closes it. */
export function launchBrowser(switches: readonly string[] = []): Promise<Browser> {
  return chromium.launch(launchOptions(switches));
}

/** The screens that most tests look at. */
export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

/** How long an action or an expectation may take: many times longer than on an idle machine. */
export const ACTION_TIMEOUT_MS = 120_000;

export interface PageOptions {
  width: number;
  height: number;
  javaScriptEnabled?: boolean;
  colorScheme?: 'light' | 'dark';
  /** Scrolling smoothly down a long page takes seconds. */
  reducedMotion?: 'reduce' | 'no-preference';
  timezoneId?: string;
  /** Also decides between 12 and 24 hours; `en-US` unless given. */
  locale?: string;
}

/** What only a test causes: it answers a request with nothing, or takes the network away. */
const BY_TESTS = /net::ERR_FAILED|net::ERR_INTERNET_DISCONNECTED/;
const expected = new WeakMap<BrowserContext, RegExp[]>();

/** Says what the pages of a visitor may log, in the whole test. Anything else that they log fails the test. */
export function expectNoise(page: Page, what: RegExp): void {
  expected.get(page.context())?.push(what);
}

/**
 * Opens an empty page in a context of its own, until the scope ends. Fails then if a page of this context logged an error or
 * a warning, threw, or asked for anything outside this machine.
 */
export async function openPage(
  browser: Browser,
  scope: TestScope,
  { width, height, ...options }: PageOptions,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-US',
    ...options,
  });
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  const noise = [BY_TESTS];
  expected.set(context, noise);
  const findings: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) findings.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (thrown) => findings.push(`thrown: ${thrown.error().stack}`));
  context.on('requestfailed', (request) => {
    if (request.failure()?.errorText === NOT_FOUND) findings.push(`outside request: ${request.url()}`);
  });
  scope.after(async () => {
    const unexpected = findings.filter((finding) => !noise.some((what) => what.test(finding)));
    // A handler of the test may be answering a request, which ends with the context.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
    assert.deepEqual(unexpected, []);
  });
  return context.newPage();
}
