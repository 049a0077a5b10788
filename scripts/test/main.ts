import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { buildWhenStale } from '#scripts/build/build.ts';
import { chromiumProgram, ensureProgram, redisProgram } from '#scripts/product/system-package.ts';

const TEST_FOLDERS = ['shared', 'server', 'client', 'scripts'];
const TEST_FILE = /\.test\.tsx?$/;
const GUARD = new URL('./guard.mjs', import.meta.url).href;

/** A test file spends much of its time waiting for browsers and processes: one more than there are cores, up to here. */
const MOST_FILES_AT_ONCE = 8;
/** For a whole file too, so it has to be longer than any file takes on a busy machine. */
const TIMEOUT_MS = 300_000;

/** What `npm test` checks before it runs the tests: a title, a command and its arguments. */
const CHECKS = [
  ['Types', 'node_modules/.bin/tsc', ['-b', 'scripts']],
  ['Lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings']],
  ['Import rules', process.execPath, ['scripts/bootstrap.mjs', 'imports']],
  ['Build', process.execPath, ['scripts/bootstrap.mjs', 'build']],
] as const;

ensureProgram(redisProgram);
const env = { ...testEnvironment(), CHROMIUM_PATH: ensureProgram(chromiumProgram) };
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
function testEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(NODE_ENV|NODE_OPTIONS|PAYMENTS|REDIS_URL|REGISTRATION|SMTP_URL|STRIPE_|MAIL_|EMAIL_SERVICE_|OFFICE_|OPS_|PUBLIC_URL|META_|RATE_LIMIT_|TRUST_PROXY|LOG_LEVEL|PORT$|HOST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Node's own options, such as `--test-name-pattern=R7`, and the files and folders that are named. */
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
  const args = [
    '--import=tsx',
    `--import=${GUARD}`,
    '--test',
    '--test-reporter=spec',
    `--test-timeout=${TIMEOUT_MS}`,
    `--test-concurrency=${Math.min(availableParallelism() + 1, MOST_FILES_AT_ONCE)}`,
    ...options,
    ...files,
  ];
  return (await run(process.execPath, args, 'inherit')).code;
}

function testFilesIn(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [path] : [];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => TEST_FILE.test(name)).map((name) => join(path, name));
}

function run(command: string, args: readonly string[], output: 'pipe' | 'inherit') {
  const child = spawn(command, args, { stdio: ['inherit', output, output], env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return new Promise<{ code: number; output: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: text }));
  });
}
