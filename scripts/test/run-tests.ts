import { availableParallelism } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bundleTests } from './bundle-tests.ts';
import { JOURNEY } from './choose-tests.ts';
import { writeFileResult } from './file-result.ts';
import { runProgram, untilTold } from './pass-checks.ts';

/**
 * Tests often wait for other processes, so one more runs at once than there are cores, up to this many. With more, tests
 * that measure time fail on a busy machine.
 */
const MOST_FILES_AT_ONCE = 8;
/** Also of a whole process, so it must be longer than several files take on a busy machine. */
const TIMEOUT_MS = 900_000;

interface NodeRun {
  /** Whether several files may share a process. */
  together: boolean;
  /** Only tests whose name matches. */
  pattern: string | undefined;
}

/** Runs tests of Node's runner. Says whether all have passed. */
export async function runNodeTests(
  files: readonly string[],
  { together, pattern }: NodeRun,
): Promise<boolean> {
  console.log('\ntests');
  const bundles = await bundleTests(files, { together });
  const abort = new AbortController();
  const events = run({
    signal: abort.signal,
    files: bundles.paths,
    concurrency: Math.min(availableParallelism() + 1, MOST_FILES_AT_ONCE),
    timeout: TIMEOUT_MS,
    ...(pattern !== undefined && { testNamePatterns: [pattern] }),
  });
  let counts = { passed: 0, failed: 0 };
  let allPassed = true;
  const count = (outcome: 'passed' | 'failed', { name, nesting, details, skip }: TestEnd): void => {
    if (outcome === 'failed') allPassed = false;
    const isFile = nesting === 0;
    if (!isFile && details.type !== 'suite' && skip === undefined) counts[outcome] += 1;
    if (!isFile) return;
    // Each file is a suite around its tests, whose events come first. What fails outside of them, such as an import or
    // the process, fails the file.
    if (outcome === 'failed') counts.failed = Math.max(counts.failed, 1);
    const file = bundles.sourcesOf(name).join(' ');
    writeFileResult({ file, ...counts, wallMs: 0, cpuMs: 0 });
    counts = { passed: 0, failed: 0 };
  };
  events.on('test:pass', (event) => count('passed', event));
  events.on('test:fail', (event) => count('failed', event));
  const printed = pipeline(events, new spec(), process.stdout, { end: false });
  await untilTold(() => abort.abort(), printed);
  await bundles.remove();
  return allPassed;
}

interface TestEnd {
  name: string;
  nesting: number;
  details: { type?: string | undefined };
  skip?: string | boolean | undefined;
}

interface BrowserRun {
  journeysOnly: boolean;
  /** Only tests whose name matches. */
  pattern: string | undefined;
}

/** Runs tests of Playwright. Says whether all have passed. */
export async function runBrowserTests(
  files: readonly string[],
  { journeysOnly, pattern }: BrowserRun,
): Promise<boolean> {
  console.log('\nbrowser tests');
  const grep = pattern ?? (journeysOnly ? JOURNEY : undefined);
  const code = await runProgram(process.execPath, [
    'node_modules/@playwright/test/cli.js',
    ...['test', '--config', 'client/e2e/playwright.config.ts'],
    ...(grep === undefined ? [] : ['--grep', grep]),
    ...files.map((file) => `${file.replaceAll('.', '\\.')}$`),
  ]);
  return code === 0;
}
