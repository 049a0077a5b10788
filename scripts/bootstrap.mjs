// Runs before anything is installed, on whatever Node there is: plain JavaScript without dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = [20, 19];
const COMMANDS = new Map([
  ['start', './start/main.ts'],
  ['dev', './start/main.ts'],
  ['support', './start/support.ts'],
  ['test', './test/main.ts'],
  ['test-all', './test/main.ts'],
  ['build', './build/main.ts'],
  ['content', './content/main.ts'],
  ['mails-preview', './mails-preview/main.ts'],
  ['stripe-contract', './stripe-sandbox/contract-main.ts'],
  ['chaos', './chaos/main.ts'],
]);
const INSTALL_STAMP = 'node_modules/.install-stamp';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
requireNode();
installWhenStale();
await run(process.argv[2] ?? '');

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  fail(`This needs Node ${OLDEST_NODE.join('.')} or later; this is Node ${process.versions.node}.`);
}

function installWhenStale() {
  const wanted = createHash('sha256')
    .update(readFileSync('package.json'))
    .update(readFileSync('package-lock.json'))
    .update(process.versions.modules)
    .digest('hex');
  if (existsSync(INSTALL_STAMP) && readFileSync(INSTALL_STAMP, 'utf8') === wanted) return;
  console.log('Installing the packages (npm ci) …');
  const { status } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) fail('npm ci failed: see its messages above.');
  writeFileSync(INSTALL_STAMP, wanted);
}

/** @param {string} command */
async function run(command) {
  const program = COMMANDS.get(command);
  if (!program) fail(`Unknown command "${command}"; there are ${[...COMMANDS.keys()].join(', ')}.`);
  const { register } = await import('tsx/esm/api');
  register();
  try {
    // It compiles by itself, and must start even when the content cannot be compiled.
    if (command !== 'content') {
      const { compileWhenStale } = await import('./build/when-stale.ts');
      await compileWhenStale();
    }
    await import(program);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ContentProblems')) throw error;
    fail(`The content cannot be built:\n${error.message}`);
  }
}

/**
 * @param {string} sentence
 * @returns {never}
 */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
