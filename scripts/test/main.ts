import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumProgram, ensureProgram, redisProgram } from '#scripts/product/system-package.ts';

const TEST_FOLDERS = ['shared', 'server', 'client', 'scripts'];
const TEST_FILE = /\.test\.tsx?$/;
const GUARD = new URL('./guard.mjs', import.meta.url).href;

ensureProgram(redisProgram);
const env = { ...testEnvironment(), CHROMIUM_PATH: ensureProgram(chromiumProgram) };

check('Types', 'tsc', ['--noEmit']);
check('Lint and import rules', 'biome', ['check', '--error-on-warnings']);
check('Build', process.execPath, ['scripts/bootstrap.mjs', 'build']);
check('Tests', process.execPath, [
  '--import',
  'tsx',
  '--import',
  GUARD,
  '--test',
  '--test-reporter=spec',
  '--test-timeout=120000',
  ...testFiles(),
]);

/** Tests start what they need themselves: nothing that is configured outside may reach them. */
function testEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(NODE_ENV|NODE_OPTIONS|PAYMENTS|REDIS_URL|REGISTRATION|SMTP_URL|STRIPE_|MAIL_|EMAIL_SERVICE_|OFFICE_|OPS_|PUBLIC_URL|META_|RATE_LIMIT_|TRUST_PROXY|LOG_LEVEL|PORT$|HOST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** The files named on the command line, or all there are. */
function testFiles(): string[] {
  const named = process.argv.slice(3);
  return named.length > 0 ? named : TEST_FOLDERS.flatMap(testFilesIn).sort();
}

function testFilesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFilesIn(path);
    return TEST_FILE.test(entry.name) ? [path] : [];
  });
}

function check(title: string, command: string, args: readonly string[]): void {
  console.log(`\n${title}`);
  const path = command.includes('/') ? command : join('node_modules', '.bin', command);
  const { status } = spawnSync(path, args, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
