import { writeFile } from 'node:fs/promises';
import { readOptions, readSeed, runDrill, seedOption, wholeNumber } from '#scripts/drills/drill.ts';
import { runFleet } from './run-fleet.ts';

/** Five registrations and twenty pages a second. */
const PACE = { registrationMs: 200, pageMs: 50 };

const { apps, workers, seed, log } = readOptions(
  'npm run fleet -- [--apps 5] [--workers 3] [--seed N] [--log FILE]',
  {
    apps: { type: 'string', default: '5' },
    workers: { type: 'string', default: '3' },
    seed: seedOption,
    log: { type: 'string' },
  },
  (values) => ({
    apps: wholeNumber('apps', values.apps, 2, 20),
    workers: wholeNumber('workers', values.workers, 2, 20),
    seed: readSeed(values.seed),
    log: values.log,
  }),
);

await runDrill('fleet', async (folder) => {
  console.log(`A fleet with seed ${seed}`);
  const result = await runFleet({ apps, workers, pace: PACE, seed, folder, say: console.log });
  if (log) await writeFile(log, `${result.logLines.join('\n')}\n`);
  console.log(`\n${result.report}`);
  return result.problems.length === 0;
});
