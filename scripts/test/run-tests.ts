import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { SLOW_TEST } from './test-files.ts';

/** What a whole run checks before it runs the tests. */
const CHECKS = [
  ['node_modules/.bin/tsc', ['-b', 'scripts', '--checkers', '1']],
  ['node_modules/.bin/biome', ['check', '--error-on-warnings']],
  [process.execPath, ['scripts/bootstrap.mjs', 'build']],
] as const;

/** Ends what runs when this process is told to end; then this process reports. The runner listens once for each file. */
const ending = new AbortController();
setMaxListeners(0, ending.signal);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());

/** Runs all checks. Says whether all have passed. */
export async function passChecks(): Promise<boolean> {
  let passed = true;
  for (const [command, args] of CHECKS) passed = (await runProgram(command, args)) && passed;
  return passed;
}

/**
 * Tests often wait for other processes, so one more runs at once than there are cores, up to this many. With more, tests
 * that measure time fail on a busy machine.
 */
const PROCESSES_AT_ONCE = Math.min(availableParallelism() + 1, 8);
/** Of a process with many files, on a busy machine. */
const TIMEOUT_MS = 2 * 60 * 60 * 1000;
const ENTRY_FOLDER = '.data/tests';

/**
 * Runs tests of Node's runner. Says whether all have passed.
 * @param pattern only tests whose name matches
 */
export async function runNodeTests(files: readonly string[], pattern: string | undefined): Promise<boolean> {
  await mkdir(ENTRY_FOLDER, { recursive: true });
  const folder = await mkdtemp(join(ENTRY_FOLDER, 'run-'));
  const entries = await Promise.all(groupsOf(files).map((group, index) => writeEntry(folder, index, group)));
  const events = run({
    signal: ending.signal,
    files: entries,
    concurrency: PROCESSES_AT_ONCE,
    timeout: TIMEOUT_MS,
    ...(pattern !== undefined && { testNamePatterns: [pattern] }),
  });
  let passed = true;
  // What fails outside of tests, such as an import or the process, fails the file around them.
  events.on('test:fail', () => {
    passed = false;
  });
  await pipeline(events, new spec(), process.stdout, { end: false });
  await rm(folder, { recursive: true });
  return passed;
}

/**
 * The files that run in one process, one after the other: a slow one, or a share of the others. To load the app, and to
 * start Redis and PostgreSQL, takes more CPU than most files' tests, so there are as few processes as keep the cores busy.
 * No file may leave anything behind in its process, such as a changed global.
 */
function groupsOf(files: readonly string[]): string[][] {
  const fast = files.filter((file) => !SLOW_TEST.test(file));
  const slow = files.filter((file) => SLOW_TEST.test(file));
  // Neighbours, which cost alike, go to different processes.
  const shares = Array.from({ length: PROCESSES_AT_ONCE }, (_, share) =>
    fast.filter((_, index) => index % PROCESSES_AT_ONCE === share),
  );
  return [...slow.map((file) => [file]), ...shares.filter((share) => share.length > 0)];
}

/** Writes the program that runs a group of files. */
async function writeEntry(folder: string, index: number, group: readonly string[]): Promise<string> {
  const entry = join(folder, `${index}.mjs`);
  const files = group.map((file) => JSON.stringify(file)).join(', ');
  await writeFile(entry, `import { declare } from '#scripts/test/suites.mjs';\ndeclare(${files});\n`);
  return entry;
}

/**
 * Runs tests of Playwright. Says whether all have passed.
 * @param pattern only tests whose name matches
 */
export function runBrowserTests(files: readonly string[], pattern: string | undefined): Promise<boolean> {
  return runProgram(process.execPath, [
    'node_modules/@playwright/test/cli.js',
    'test',
    '--config',
    'client/e2e/playwright.config.ts',
    ...(pattern === undefined ? [] : ['--grep', pattern]),
    ...files.map((file) => `${file.replaceAll('.', '\\.')}$`),
  ]);
}

/** Runs a program that prints where this one prints. Says whether it has succeeded. */
function runProgram(command: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(command, args, { stdio: 'inherit', signal: ending.signal, killSignal: 'SIGINT' });
  child.on('error', (error) => console.error(`${command}: ${error.message}`));
  return new Promise((resolve) => child.on('close', (code) => resolve(code === 0)));
}
