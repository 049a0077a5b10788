import { writeFile } from 'node:fs/promises';
import { readOptions, readSeed, runDrill, seedOption, wholeNumber } from '#scripts/drills/drill.ts';
import { measureBalances } from './balances/measure-balances.ts';
import { runChaos } from './run-chaos.ts';
import { runYear } from './year/run-year.ts';

const { registrations, balances, seed, log, year } = readOptions(
  'npm run chaos -- [--year | --balances N] [--registrations 500] [--seed N] [--log FILE]',
  {
    year: { type: 'boolean', default: false },
    registrations: { type: 'string', default: '500' },
    balances: { type: 'string' },
    seed: seedOption,
    log: { type: 'string' },
  },
  (values) => ({
    year: values.year,
    registrations: wholeNumber('registrations', values.registrations, 1, 10_000),
    balances: values.balances && wholeNumber('balances', values.balances, 1, 5_000),
    seed: readSeed(values.seed),
    log: values.log,
  }),
);

await runDrill('chaos', async (folder) => {
  const { report, ...result } = await play(folder);
  if (log) await writeFile(log, `${result.logLines.join('\n')}\n`);
  console.log(`\n${report}`);
  return result.problems.length === 0;
});

async function play(folder: string) {
  const options = { folder, say: console.log };
  if (balances) return measureBalances({ balances, ...options });
  console.log(`${year ? 'The year' : 'Chaos'} with seed ${seed}`);
  return year ? runYear({ registrations, seed, ...options }) : runChaos({ registrations, seed, ...options });
}
