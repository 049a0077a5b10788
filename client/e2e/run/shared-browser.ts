import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';

/**
 * Switches that save a tenth of the CPU time of a browser test: scripts run too briefly here to be worth
 * optimizing, and pages need no processes of their own. Nothing that measures speed may use them.
 */
const LIGHT = ['--js-flags=--no-maglev --no-opt', '--renderer-process-limit=1'];

let shared: Promise<Browser> | undefined;
after(async () => {
  await (await shared)?.close();
});

/** The browser of all suites of a process: visitors share nothing in it. It is closed after the last test. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchTestBrowser();
  return shared;
}

/** A browser of its own, for a suite that needs switches of its own. The caller closes it. */
export function launchTestBrowser(switches: readonly string[] = []): Promise<Browser> {
  return launchBrowser([...LIGHT, ...switches]);
}
