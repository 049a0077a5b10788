import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';

const FOLDERS = ['shared', 'server', 'client', 'scripts'];
export const TEST_FILE = /\.(?:test|spec)\.tsx?$/;
/** Node's runner has `.test.ts`, Playwright `.spec.ts`. */
const BROWSER_TEST = /\.spec\.ts$/;
/** Costs ten seconds of CPU time or more: only for `npm run test:all`. */
export const SLOW_TEST = /\.slow\.test\.tsx?$/;
/** The tag of the browser tests that `npm test` runs. */
export const JOURNEY = '@journey';

export interface ChosenTests {
  files: string[];
  /** Whether only journeys of the browser tests are wanted. */
  journeysOnly: boolean;
  /** The paths that lead to no test. */
  withoutTests: string[];
}

/** All tests of the paths; without paths, all of the project or those that `npm test` runs. */
export function chooseTests(paths: readonly string[], { all }: { all: boolean }): ChosenTests {
  const withoutTests = paths.filter((path) => testFilesIn(path).length === 0);
  const files = (paths.length > 0 ? paths : FOLDERS).flatMap(testFilesIn).sort();
  const fastOnly = paths.length === 0 && !all;
  return { files: fastOnly ? files.filter(isFast) : files, journeysOnly: fastOnly, withoutTests };
}

export const isBrowserTest = (file: string): boolean => BROWSER_TEST.test(file);

function isFast(file: string): boolean {
  return isBrowserTest(file) ? readFileSync(file, 'utf8').includes(JOURNEY) : !SLOW_TEST.test(file);
}

function testFilesIn(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [normalize(path)] : [];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => TEST_FILE.test(name)).map((name) => join(path, name));
}
