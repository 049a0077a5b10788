import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { failTestsBy } from '#scripts/test/guard.mjs';
import { ACTION_TIMEOUT_MS, launchOptions } from './run/browser.ts';
import type { WorkerFixtures } from './run/test.ts';

/** Guards only against hanging: many times longer than a test takes on a busy machine. */
const TIMEOUT_MS = 600_000;

// Each worker loads this file: what nobody catches there fails the test that runs.
failTestsBy((finding) =>
  queueMicrotask(() => {
    throw finding;
  }),
);

export default defineConfig<object, WorkerFixtures>({
  testDir: '../..',
  testMatch: '{client,server,scripts}/**/*.spec.ts',
  // A run of chaos that was killed leaves a copy of the project there.
  testIgnore: '**/.data/**',
  outputDir: '../../.data/playwright',
  globalSetup: './run/product.ts',
  workers: Math.min(availableParallelism(), 4),
  timeout: TIMEOUT_MS,
  expect: { timeout: ACTION_TIMEOUT_MS },
  retries: 0,
  forbidOnly: true,
  reporter: 'list',
  use: {
    launchOptions: launchOptions(),
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
  },
});
