import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Page } from '@playwright/test';
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

/** How to start the Chromium that `npm test` found, or the machine's own, without a window, as visitors have it. */
export function launchOptions(...switches: string[]): LaunchOptions {
  return {
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [...QUIET, ...switches],
    // The payment step guesses the country by it.
    env: { ...process.env, TZ: 'UTC' },
  };
}

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

/** How long an action or an expectation may take: many times longer than on an idle machine. */
export const ACTION_TIMEOUT_MS = 120_000;

type Emulated = 'javaScriptEnabled' | 'colorScheme' | 'reducedMotion' | 'timezoneId' | 'locale';

/** How a visitor sees the site. A page that scrolls smoothly takes seconds; a locale also decides on 12 or 24 hours. */
export interface PageOptions extends Pick<BrowserContextOptions, Emulated> {
  width: number;
  height: number;
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
