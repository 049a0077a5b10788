import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';

const FOLDERS = ['shared', 'server', 'client', 'scripts'];
const TEST_FILE = /\.(?:test|spec)\.tsx?$/;
/** Costs ten seconds of CPU time or more: only for `npm run test:all`. */
export const SLOW_TEST = /\.slow\.test\.tsx?$/;
/** The tag of the browser tests that `npm test` runs. */
export const JOURNEY = '@journey';

/**
 * All tests of the paths, or of the project.
 * @throws {Error} for a path that does not exist
 */
export function testFilesIn(paths: readonly string[] = FOLDERS): string[] {
  const files = paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [normalize(path)];
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => TEST_FILE.test(name)).map((name) => join(path, name));
  });
  return files.sort();
}

/** Whether Playwright runs a file, and not Node's runner. */
export const isBrowserTest = (file: string): boolean => file.endsWith('.spec.ts');

/** Whether `npm test` runs a file; of browser tests only those with the tag of a journey. */
export function isFast(file: string): boolean {
  return isBrowserTest(file) ? readFileSync(file, 'utf8').includes(JOURNEY) : !SLOW_TEST.test(file);
}
