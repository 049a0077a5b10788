import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import { SLOW_TEST } from './test-files.ts';

/** What a whole run checks before it runs the tests. */
const CHECKS = [
  ['node_modules/.bin/tsc', ['-b', 'scripts', '--checkers', '1']],
  ['node_modules/.bin/biome', ['check', '--error-on-warnings']],
  [process.execPath, ['scripts/bootstrap.mjs', 'build']],
] as const;

/** Ends what runs when this process is told to end; then this process reports. */
const ending = new AbortController();
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

/** What the tests of a file, or of several in one process, came to. */
export interface FileResult {
  file: string;
  passed: number;
  failed: number;
  ms: number;
}

/**
 * Runs tests of Node's runner.
 * @param together whether several files may share a process
 * @param pattern only tests whose name matches
 */
export async function runNodeTests(
  files: readonly string[],
  { together, pattern }: { together: boolean; pattern: string | undefined },
): Promise<FileResult[]> {
  const bundles = await bundleTests(files, { together });
  const events = run({
    signal: ending.signal,
    files: bundles.paths,
    concurrency: PROCESSES_AT_ONCE,
    timeout: TIMEOUT_MS,
    ...(pattern !== undefined && { testNamePatterns: [pattern] }),
  });
  const results: FileResult[] = [];
  let counts = { passed: 0, failed: 0 };
  const count = (outcome: 'passed' | 'failed', { name, nesting, details, skip }: TestEnd): void => {
    if (nesting > 0) {
      if (details.type !== 'suite' && skip === undefined) counts[outcome] += 1;
      return;
    }
    // Each file is a suite around its tests, whose events come first. What fails outside of them, such as an import or
    // the process, fails the file.
    if (outcome === 'failed') counts.failed = Math.max(counts.failed, 1);
    results.push({ file: bundles.sourcesOf(name).join(' '), ...counts, ms: details.duration_ms });
    counts = { passed: 0, failed: 0 };
  };
  events.on('test:pass', (event) => count('passed', event));
  events.on('test:fail', (event) => count('failed', event));
  await pipeline(events, new spec(), process.stdout, { end: false });
  await bundles.remove();
  return results;
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

const OUT_FOLDER = '.data/tests';
const TYPESCRIPT = /\.tsx?$/;
const GUARD = join(import.meta.dirname, 'guard.mjs');

/**
 * Turns test files, and all of the project that they import, into JavaScript: to do that in each process as it imports
 * them takes more than half of the CPU of most.
 * @param options.together one path for several files, instead of one for each
 * @returns the paths for Node's test runner, which starts a process for each, and what each is made of
 */
async function bundleTests(files: readonly string[], { together }: { together: boolean }) {
  await mkdir(OUT_FOLDER, { recursive: true });
  const outdir = await mkdtemp(join(OUT_FOLDER, 'run-'));
  const groups = together ? groupsOf(files) : files.map((file) => [file]);
  const entries = await Promise.all(groups.map((group) => writeEntry(outdir, group)));
  await build({
    entryPoints: entries,
    outdir,
    outbase: outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    jsx: 'automatic',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [ownLocations],
  });
  const paths = entries.map((entry) => entry.replace(TYPESCRIPT, '.mjs'));
  return {
    paths,
    /** The test files of a path; a name that is none of the paths stands for itself. */
    sourcesOf: (name: string): readonly string[] => groups[paths.indexOf(relative('.', name))] ?? [name],
    remove: () => rm(outdir, { recursive: true }),
  };
}

/**
 * The files that run in one process, one after the other: a slow one, or a share of the others. To load Stripe's SDK and
 * the queue, and to start Redis and PostgreSQL, takes more CPU than most files' tests, so there are as few processes as
 * keep the cores busy. No file may leave anything behind in its process, such as a changed global.
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

/** Writes what runs the files of a group, under a name that is shown when a test fails. */
async function writeEntry(folder: string, group: readonly string[]): Promise<string> {
  const [first = '', ...others] = group;
  const name = first.replace(TYPESCRIPT, others.length === 0 ? '' : `-and-${others.length}-more`);
  const entry = join(folder, `${name}.ts`);
  const runs = group.map(
    (file) => `describe(${JSON.stringify(file)}, () => import(${JSON.stringify(resolve(file))}));\n`,
  );
  await mkdir(dirname(entry), { recursive: true });
  await writeFile(
    entry,
    `import ${JSON.stringify(GUARD)};
import { describe } from 'node:test';
process.setSourceMapsEnabled(true);
${runs.join('')}`,
  );
  return entry;
}

/** Lets each module find what lies beside its source, not beside the bundle that it ends up in. */
const ownLocations: Plugin = {
  name: 'own-locations',
  setup({ onLoad }) {
    onLoad({ filter: TYPESCRIPT }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!/import\.meta\.(?:url|dirname)/.test(source)) return undefined;
      const { code } = await transform(source, {
        loader: path.endsWith('x') ? 'tsx' : 'ts',
        jsx: 'automatic',
        sourcefile: path,
        sourcemap: 'inline',
        define: {
          'import.meta.url': JSON.stringify(pathToFileURL(path).href),
          'import.meta.dirname': JSON.stringify(dirname(path)),
        },
      });
      return { contents: code };
    });
  },
};
