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
  if (paths.length > 0) {
    const withoutTests = paths.filter((path) => testFilesIn(path).length === 0);
    return { files: paths.flatMap(testFilesIn).sort(), journeysOnly: false, withoutTests };
  }
  const files = FOLDERS.flatMap(testFilesIn).sort();
  if (all) return { files, journeysOnly: false, withoutTests: [] };
  return { files: files.filter(isFast), journeysOnly: true, withoutTests: [] };
}

export function isBrowserTest(file: string): boolean {
  return BROWSER_TEST.test(file);
}

function isFast(file: string): boolean {
  return isBrowserTest(file) ? readFileSync(file, 'utf8').includes(JOURNEY) : !SLOW_TEST.test(file);
}

function testFilesIn(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [normalize(path)] : [];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => TEST_FILE.test(name)).map((name) => join(path, name));
}
