import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, normalize } from 'node:path';
import { shareProduct, startProduct } from '#client/e2e/run/product.ts';
import { buildWhenStale, compileWhenStale } from '#scripts/build/when-stale.ts';
import { readOnSale } from '#scripts/content/read-edition.ts';
import { TESTED_EDITION } from '#scripts/content/testing/tested-edition.ts';
import {
  caddyProgram,
  ensureProgram,
  headlessProgram,
  nginxProgram,
  promtoolProgram,
  redisProgram,
} from '#scripts/product/system-package.ts';
import { bundleTests } from './bundle-tests.ts';

const TEST_FOLDERS = ['shared', 'server', 'client', 'scripts'];
const TEST_FILE = /\.test\.tsx?$/;
const BROWSER_TEST = /^client[\\/]e2e[\\/]/;
const GUARD = new URL('./guard.mjs', import.meta.url).href;

/**
 * Tests often wait for browsers and processes, so one more runs at once than there are cores, up to this many. With
 * more, tests that measure time fail on a busy machine.
 */
const MOST_FILES_AT_ONCE = 8;
/** Also of a whole process, so it must be longer than several files take on a busy machine. */
const TIMEOUT_MS = 900_000;

/** What `npm test` checks before it runs the tests: a title, a command and its arguments. */
const CHECKS = [
  ['Types', 'node_modules/.bin/tsc', ['-b', 'scripts']],
  ['Lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings']],
  ['Import rules', process.execPath, ['scripts/bootstrap.mjs', 'imports']],
  ['Build', process.execPath, ['scripts/bootstrap.mjs', 'build']],
] as const;

dropForeignVariables();
await sellTestedEdition();
ensureProgram(redisProgram);
ensureProgram(promtoolProgram);
ensureProgram(caddyProgram);
ensureProgram(nginxProgram);
process.env.CHROMIUM_PATH = ensureProgram(headlessProgram);
const [options, named] = commandLine();
const files = (named.length > 0 ? named : TEST_FOLDERS).flatMap(testFilesIn).sort();

if (files.length === 0) {
  console.error(`There are no test files in ${named.join(', ')}.`);
  process.exit(1);
}
if (named.length > 0) await buildWhenStale('production', 'dist');
else if (!(await passChecks())) process.exit(1);
process.exitCode = await runTests();

/** Tests start what they need themselves: nothing that is configured outside may reach them. */
function dropForeignVariables(): void {
  const foreign =
    /^(CLOCK$|EDITION_UNDER_TEST|NODE_ENV|NODE_OPTIONS|PAYMENTS|REDIS_|REGISTRATION|SMTP_URL|STRIPE_|MAIL_|EMAIL_SERVICE_|OFFICE_|OPS_|PUBLIC_URL|META_|RATE_LIMIT_|TRUST_PROXY|LOG_LEVEL|PORT$|HOST$)/;
  for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name];
}

/** What is compiled and built from here on, here and in the programs that are started, is of the edition that the tests know. */
async function sellTestedEdition(): Promise<void> {
  if ((await readOnSale()) === TESTED_EDITION) return;
  process.env.EDITION_UNDER_TEST = TESTED_EDITION;
  await compileWhenStale({ draft: false });
}

/** Node's own options, such as `--test-name-pattern=R4.5`, and the files and folders that are named. */
function commandLine(): [options: string[], named: string[]] {
  const words = process.argv.slice(3);
  const isOption = (word: string): boolean => word.startsWith('--');
  return [words.filter(isOption), words.filter((word) => !isOption(word))];
}

/** Runs all checks side by side, and shows what each has to say once it is done. */
async function passChecks(): Promise<boolean> {
  const passed = await Promise.all(
    CHECKS.map(async ([title, command, args]) => {
      const { code, output } = await run(command, args, 'pipe');
      console.log(`\n${title}${code === 0 ? '' : ' failed'}\n${output}`.trimEnd());
      return code === 0;
    }),
  );
  return !passed.includes(false);
}

async function runTests(): Promise<number> {
  console.log('\nTests');
  // Most browser suites use the product as it starts: to start it for each costs more than some of them do.
  const product =
    files.filter((file) => BROWSER_TEST.test(file)).length > 1 ? await startProduct('start') : undefined;
  if (product) shareProduct(product);
  const bundles = await bundleTests(files, { together: named.length === 0 });
  const args = [
    '--enable-source-maps',
    `--import=${GUARD}`,
    '--test',
    '--test-reporter=spec',
    `--test-timeout=${TIMEOUT_MS}`,
    `--test-concurrency=${Math.min(availableParallelism() + 1, MOST_FILES_AT_ONCE)}`,
    ...options,
    ...bundles.paths,
  ];
  const { code } = await run(process.execPath, args, 'inherit');
  await product?.end();
  await bundles.remove();
  return code;
}

function testFilesIn(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [normalize(path)] : [];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => TEST_FILE.test(name)).map((name) => join(path, name));
}

function run(command: string, args: readonly string[], output: 'pipe' | 'inherit') {
  const child = spawn(command, args, { stdio: ['inherit', output, output] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return new Promise<{ code: number; output: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: text }));
    // What is told to end ends first; then this process stops the product.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => child.kill(signal));
  });
}
