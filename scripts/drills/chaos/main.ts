import { writeFile } from 'node:fs/promises';
import { readOptions, readSeed, runDrill, seedOption, wholeNumber } from '#scripts/drills/drill.ts';
import { reportOf } from './report.ts';
import { runChaos } from './run-chaos.ts';

const { registrations, seed, log } = readOptions(
  'npm run chaos -- [--registrations 500] [--seed N] [--log FILE]',
  {
    registrations: { type: 'string', default: '500' },
    seed: seedOption,
    log: { type: 'string' },
  },
  (values) => ({
    registrations: wholeNumber('registrations', values.registrations, 1, 10_000),
    seed: readSeed(values.seed),
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
