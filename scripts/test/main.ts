import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
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
import { chooseTests, isBrowserTest } from './choose-tests.ts';
import { collectFileResults, report } from './report.ts';
import { passChecks, runBrowserTests, runNodeTests } from './run-tests.ts';

/** The processor time that a whole run may take with its packages installed and nothing built. */
const BUDGET_MS = { usual: 15 * 60_000, all: 40 * 60_000 };

const NAME_PATTERN = '--test-name-pattern=';

const [command, ...words] = process.argv.slice(2);
const paths = words.filter((word) => !word.startsWith('--'));
const options = words.filter((word) => word.startsWith('--'));
const pattern = namePatternOf(options);

dropForeignVariables();
await sellTestedEdition();
for (const program of [redisProgram, promtoolProgram, caddyProgram, nginxProgram]) ensureProgram(program);
process.env.CHROMIUM_PATH = ensureProgram(headlessProgram);

const all = command === 'test-all';
const { files, journeysOnly, withoutTests } = chooseTests(paths, { all });
if (withoutTests.length > 0) {
  console.error(`There are no tests in ${withoutTests.join(', ')}.`);
  process.exit(1);
}
await mkdir('.data', { recursive: true });
const folder = await mkdtemp(join('.data', 'test-run-'));
collectFileResults(join(folder, 'results'));
const passed = await run();
report({ passed, budgetMs: paths.length > 0 ? undefined : BUDGET_MS[all ? 'all' : 'usual'] });
process.exitCode = passed ? 0 : 1;
await rm(folder, { recursive: true });

/** Runs what was asked for, and says whether all of it passed. */
async function run(): Promise<boolean> {
  if (paths.length > 0) await buildWhenStale('production', 'dist');
  else if (!(await passChecks())) return false;
  const nodeTests = files.filter((file) => !isBrowserTest(file));
  const browserTests = files.filter(isBrowserTest);
  const together = paths.length === 0;
  const passed = [
    nodeTests.length === 0 || (await runNodeTests(nodeTests, { together, pattern })),
    browserTests.length === 0 || (await runBrowserTests(browserTests, { journeysOnly, pattern })),
  ];
  return !passed.includes(false);
}

/** The pattern of the one option there is: only tests whose name matches. */
function namePatternOf(given: readonly string[]): string | undefined {
  const unknown = given.find((option) => !option.startsWith(NAME_PATTERN));
  if (unknown !== undefined) {
    console.error(`Unknown option ${unknown}; there is ${NAME_PATTERN}PATTERN.`);
    process.exit(1);
  }
  return given[0]?.slice(NAME_PATTERN.length);
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
  await compileWhenStale({ draft: false });
}
