import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildWhenStale, compileWhenStale } from '#scripts/build/when-stale.ts';
import { readOnSale } from '#scripts/content/read-edition.ts';
import { TESTED_EDITION } from '#scripts/content/testing/tested-edition.ts';
import {
  caddyProgram,
  ensureProgram,
  firefoxProgram,
  headlessProgram,
  nginxProgram,
  pgBouncerProgram,
  promtoolProgram,
  redisProgram,
  webKitProgram,
  xvfbProgram,
} from '#scripts/product/system-package.ts';
import { passChecks, runBrowserTests, runNodeTests } from './run-tests.ts';
import { collectFileResults, isBrowserTest, isFast, JOURNEY, report, testFilesIn } from './test-files.ts';

/** The processor time that a whole run may take with its packages installed and nothing built. */
const BUDGET_SECONDS = { test: 12 * 60, 'test-all': 40 * 60 };

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
for (const program of [redisProgram, promtoolProgram, caddyProgram, nginxProgram, pgBouncerProgram])
  ensureProgram(program);
// Tests that run at once cannot install at once.
if (isWhole && !fastOnly && process.platform === 'linux')
  for (const program of [firefoxProgram, webKitProgram, xvfbProgram]) ensureProgram(program);
process.env.CHROMIUM_PATH = ensureProgram(headlessProgram);

const files = isWhole ? testFilesIn().filter((file) => !fastOnly || isFast(file)) : testFilesIn(paths);
if (files.length === 0) throw new Error(`There are no tests in ${paths.join(', ')}.`);
await mkdir('.data', { recursive: true });
const folder = await mkdtemp(join('.data', 'test-run-'));
collectFileResults(join(folder, 'results'));
const passed = await run();
const budgetSeconds = BUDGET_SECONDS[fastOnly ? 'test' : 'test-all'];
report(passed, isWhole ? budgetSeconds : undefined);
process.exitCode = passed ? 0 : 1;
await rm(folder, { recursive: true });

async function run(): Promise<boolean> {
  if (!isWhole) await buildWhenStale('production', 'dist');
  else if (!(await passChecks())) return false;
  const nodeTests = files.filter((file) => !isBrowserTest(file));
  const browserTests = files.filter(isBrowserTest);
  const journeys = fastOnly ? JOURNEY : undefined;
  const passed = [
    nodeTests.length === 0 || (await runNodeTests(nodeTests, { together: isWhole, pattern })),
    browserTests.length === 0 || (await runBrowserTests(browserTests, pattern ?? journeys)),
  ];
  return !passed.includes(false);
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
