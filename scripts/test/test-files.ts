import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import * as v from 'valibot';

const FOLDERS = ['shared', 'server', 'client', 'scripts'];
export const TEST_FILE = /\.(?:test|spec)\.tsx?$/;
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

/** The folder of the first two levels; what is in no folder is its own. */
function folderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/') || file;
}

/** Whether Playwright runs a file, and not Node's runner. */
export const isBrowserTest = (file: string): boolean => file.endsWith('.spec.ts');

/** Whether `npm test` runs a file; of browser tests only those with the tag of a journey. */
export function isFast(file: string): boolean {
  return isBrowserTest(file) ? readFileSync(file, 'utf8').includes(JOURNEY) : !SLOW_TEST.test(file);
}

const SLOWEST = 10;
/** The kernel counts time in hundredths of a second (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

const resultSchema = v.object({ file: v.string(), passed: v.number(), failed: v.number(), ms: v.number() });

/** What the tests of one file came to, or a part of it; a check is named by its command. */
type FileResult = v.InferOutput<typeof resultSchema>;

/** The variable that names the file in which the processes of a run write their results, a line each. */
const RESULTS = 'TEST_RESULTS';

/** Names the file for this process and those that it starts. */
export function collectFileResults(path: string): void {
  process.env[RESULTS] = path;
}

/** Writes a result, or a part of one, for the run that this process belongs to, if it does. */
export function writeFileResult(result: FileResult): void {
  const path = process.env[RESULTS];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(result)}\n`);
}

/**
 * Prints what a run came to: by folder, the slowest files, what failed and how to run only that, and the sums.
 * @param budgetSeconds how much processor time the run may take; a run of named files has no budget
 */
export function report(passed: boolean, budgetSeconds: number | undefined): void {
  const path = process.env[RESULTS] ?? '';
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  const parts = lines.map((line) => v.parse(v.pipe(v.string(), v.parseJson(), resultSchema), line));
  const results = sumBy(parts, (file) => file);
  const folders = sumBy(results, folderOf).map(({ file, ms, ...sum }) => [file, { ...sum, s: seconds(ms) }]);
  console.table(Object.fromEntries(folders));
  const slowest = results.slice(0, SLOWEST).map(({ file, ms }) => `${file} ${seconds(ms)} s`);
  console.log(`The slowest: ${slowest.join(', ')}`);
  for (const { file, failed } of results) {
    const command = TEST_FILE.test(file) ? `npm test -- ${file}` : file;
    if (failed > 0) console.log(`\n${failed} failed in ${file}; to run only this: ${command}`);
  }
  const budget = budgetSeconds === undefined ? '' : ` of ${budgetSeconds} s`;
  console.log(`\n${seconds(performance.now())} s, CPU time ${cpuSeconds()} s${budget}`);
  const [sum = { passed: 0, failed: 0 }] = sumBy(results, () => '');
  console.log(`${sum.passed} passed, ${Math.max(sum.failed, passed ? 0 : 1)} failed`);
}

function sumBy(results: readonly FileResult[], nameOf: (file: string) => string): FileResult[] {
  const sums = new Map<string, FileResult>();
  for (const result of results) {
    const file = nameOf(result.file);
    const { passed, failed, ms } = sums.get(file) ?? { passed: 0, failed: 0, ms: 0 };
    sums.set(file, {
      file,
      passed: passed + result.passed,
      failed: failed + result.failed,
      ms: ms + result.ms,
    });
  }
  return [...sums.values()].sort((one, other) => other.ms - one.ms);
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;

/** The processor time of this process, and on Linux also of all that it started and that has ended. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  if (!existsSync('/proc/self/stat')) return seconds((user + system) / 1_000);
  // Fields 14 to 17 of proc_pid_stat(5); the second, the name, may contain anything but ends with the last `)`.
  const fields = (readFileSync('/proc/self/stat', 'utf8').split(')').at(-1) ?? '').split(' ');
  const ticks = fields.slice(12, 16).reduce((sum, field) => sum + Number(field), 0);
  return Math.round(ticks / TICKS_PER_SECOND);
}
