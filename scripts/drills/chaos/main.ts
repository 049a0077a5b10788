import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { readOptions, runDrill, wholeNumber } from '#scripts/drills/drill.ts';
import { reportOf } from './report.ts';
import { runChaos } from './run-chaos.ts';

const LARGEST_SEED = 999_999_999;

const { registrations, seed, log } = readOptions(
  'npm run chaos -- [--registrations 500] [--seed N] [--log FILE]',
  {
    registrations: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    log: { type: 'string' },
  },
  (values) => ({
    registrations: wholeNumber('registrations', values.registrations, 1, 10_000),
    seed: wholeNumber('seed', values.seed, 0, LARGEST_SEED),
    log: values.log,
  }),
);

await runDrill('chaos', async (folder) => {
  console.log(`Chaos with seed ${seed}`);
  const result = await runChaos({ registrations, seed, folder, say: console.log });
  if (log) await writeFile(log, `${result.logLines.join('\n')}\n`);
  console.log(`\n${reportOf(result)}`);
  return result.problems.length === 0;
});
