import { writeFile } from 'node:fs/promises';
import { readOptions, readSeed, runDrill, seedOption, wholeNumber } from '#scripts/drills/drill.ts';
import { reportOf } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { reportOfYear } from './year/report-year.ts';
import { runYear } from './year/run-year.ts';

const { registrations, seed, log, year } = readOptions(
  'npm run chaos -- [--year] [--registrations 500] [--seed N] [--log FILE]',
  {
    year: { type: 'boolean', default: false },
    registrations: { type: 'string', default: '500' },
    seed: seedOption,
    log: { type: 'string' },
  },
  (values) => ({
    year: values.year,
    registrations: wholeNumber('registrations', values.registrations, 1, 10_000),
    seed: readSeed(values.seed),
    log: values.log,
  }),
);

await runDrill('chaos', async (folder) => {
  const options = { registrations, seed, folder, say: console.log };
  console.log(`${year ? 'The year' : 'Chaos'} with seed ${seed}`);
  const { report, ...result } = await (year ? playYear(options) : playChaos(options));
  if (log) await writeFile(log, `${result.logLines.join('\n')}\n`);
  console.log(`\n${report}`);
  return result.problems.length === 0;
});

type Options = Parameters<typeof runYear>[0];

async function playYear(options: Options) {
  const result = await runYear(options);
  return { ...result, report: reportOfYear(result) };
}

async function playChaos(options: Options) {
  const result = await runChaos(options);
  return { ...result, report: reportOf(result) };
}
