import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bundleTests } from './bundle-tests.ts';
import { writeFileResult } from './report.ts';

/** What a whole run checks before it runs the tests: the command for this check alone, a program and its arguments. */
const CHECKS = [
  ['npm run types', 'node_modules/.bin/tsc', ['-b', 'scripts', '--checkers', '1']],
  ['npm run lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings']],
  ['npm run imports', process.execPath, ['scripts/bootstrap.mjs', 'imports']],
  ['npm run browsers', process.execPath, ['scripts/bootstrap.mjs', 'browsers']],
  ['npm run build', process.execPath, ['scripts/bootstrap.mjs', 'build']],
] as const;

/** Ends what runs when this process is told to end; then this process reports. */
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());

/** Runs all checks, and shows what each has to say. Says whether all have passed. */
export async function passChecks(): Promise<boolean> {
  let passed = true;
  for (const [check, command, args] of CHECKS) {
    const startedAt = performance.now();
    console.log(`\n${check}`);
    const isPassed = await runProgram(command, args);
    const ms = performance.now() - startedAt;
    writeFileResult({ file: check, passed: 0, failed: Number(!isPassed), ms });
    passed &&= isPassed;
  }
  return passed;
}

/**
 * Tests often wait for other processes, so one more runs at once than there are cores, up to this many. With more, tests
 * that measure time fail on a busy machine.
 */
const MOST_FILES_AT_ONCE = 8;
/** Also of a whole process, so it must be longer than several files take on a busy machine. */
const TIMEOUT_MS = 1_800_000;

/**
 * Runs tests of Node's runner. Says whether all have passed.
 * @param together whether several files may share a process
 * @param pattern only tests whose name matches
 */
export async function runNodeTests(
  files: readonly string[],
  { together, pattern }: { together: boolean; pattern: string | undefined },
): Promise<boolean> {
  console.log('\ntests');
  const bundles = await bundleTests(files, { together });
  const events = run({
    signal: ending.signal,
    files: bundles.paths,
    concurrency: Math.min(availableParallelism() + 1, MOST_FILES_AT_ONCE),
    timeout: TIMEOUT_MS,
    ...(pattern !== undefined && { testNamePatterns: [pattern] }),
  });
  let counts = { passed: 0, failed: 0 };
  let allPassed = true;
  const count = (outcome: 'passed' | 'failed', { name, nesting, details, skip }: TestEnd): void => {
    if (outcome === 'failed') allPassed = false;
    if (nesting > 0) {
      if (details.type !== 'suite' && skip === undefined) counts[outcome] += 1;
      return;
    }
    // Each file is a suite around its tests, whose events come first. What fails outside of them, such as an import or
    // the process, fails the file.
    if (outcome === 'failed') counts.failed = Math.max(counts.failed, 1);
    writeFileResult({ file: bundles.sourcesOf(name).join(' '), ...counts, ms: details.duration_ms });
    counts = { passed: 0, failed: 0 };
  };
  events.on('test:pass', (event) => count('passed', event));
  events.on('test:fail', (event) => count('failed', event));
  await pipeline(events, new spec(), process.stdout, { end: false });
  await bundles.remove();
  return allPassed;
}

interface TestEnd {
  name: string;
  nesting: number;
  details: { duration_ms: number; type?: string | undefined };
  skip?: string | boolean | undefined;
}

/**
 * Runs tests of Playwright. Says whether all have passed.
 * @param pattern only tests whose name matches
 */
export function runBrowserTests(files: readonly string[], pattern: string | undefined): Promise<boolean> {
  console.log('\nbrowser tests');
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
