import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildWhenStale, compileWhenStale } from '#scripts/build/when-stale.ts';
import { readOnSale } from '#scripts/content/read.ts';
import { TESTED_EDITION } from '#scripts/content/testing/tested-edition.ts';
import { ensureProgram, programs } from '#scripts/product/system-package.ts';
import { passChecks, runBrowserTests, runNodeTests } from './run-tests.ts';
import { isBrowserTest, isFast, JOURNEY, testFilesIn } from './test-files.ts';

/** The processor time that a whole run may take with its packages installed and nothing built. */
const BUDGET_S = { test: 300, 'test-all': 1_200 };
/** The kernel counts time in hundredths of a second (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

const { positionals, values } = parseArgs({
  options: { 'test-name-pattern': { type: 'string' } },
  allowPositionals: true,
});
const [command, ...paths] = positionals;
const isWhole = paths.length === 0;
const fastOnly = isWhole && command !== 'test-all';
const pattern = values['test-name-pattern'];

dropForeignVariables();
await sellTestedEdition();
// Tests that run at once cannot install at once.
const browsers = process.platform === 'linux' ? [programs.firefox, programs.webKit, programs.xvfb] : [];
const ofSlow = [programs.promtool, programs.nginx, ...(isWhole ? browsers : [])];
for (const program of [programs.redis, programs.caddy, programs.pgBouncer, ...(fastOnly ? [] : ofSlow)])
  ensureProgram(program);
process.env.CHROMIUM_PATH = ensureProgram(programs.chromium);

const files = isWhole ? testFilesIn().filter((file) => !fastOnly || isFast(file)) : testFilesIn(paths);
if (files.length === 0) throw new Error(`There are no tests in ${paths.join(', ')}.`);
process.exitCode = (await run()) ? 0 : 1;
const budget = isWhole ? ` of ${BUDGET_S[fastOnly ? 'test' : 'test-all']} s` : '';
console.log(`${(performance.now() / 1_000).toFixed(0)} s, CPU time ${cpuSeconds()} s${budget}`);

async function run(): Promise<boolean> {
  if (!isWhole) await buildWhenStale('production', 'dist');
  else if (!(await passChecks())) return false;
  const nodeTests = files.filter((file) => !isBrowserTest(file));
  const browserTests = files.filter(isBrowserTest);
  const passed = nodeTests.length === 0 || (await runNodeTests(nodeTests, pattern));
  if (browserTests.length === 0) return passed;
  return (await runBrowserTests(browserTests, pattern ?? (fastOnly ? JOURNEY : undefined))) && passed;
}

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
  await compileWhenStale();
}

/** The processor time of this process, and on Linux also of all that it started and that has ended. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  if (!existsSync('/proc/self/stat')) return Math.round((user + system) / 1e6);
  // Fields 14 to 17 of proc_pid_stat(5); the second, the name, may contain anything but ends with the last `)`.
  const fields = (readFileSync('/proc/self/stat', 'utf8').split(')').at(-1) ?? '').split(' ');
  return Math.round(fields.slice(12, 16).reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND);
}
