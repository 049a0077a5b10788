import { writeFile } from 'node:fs/promises';
import { readOptions, readSeed, runDrill, seedOption, wholeNumber } from '#scripts/drills/drill.ts';
import { EARLIER, isInHistory } from './earlier-version.ts';
import { reportOf } from './report.ts';
import { runUpgrade } from './run-upgrade.ts';

const { registrations, seed, log } = readOptions(
  'npm run upgrade -- [--registrations 20] [--seed N] [--log FILE]',
  {
    registrations: { type: 'string', default: '20' },
    seed: seedOption,
    log: { type: 'string' },
  },
  (values) => ({
    registrations: wholeNumber('registrations', values.registrations, 1, 500),
    seed: readSeed(values.seed),
    log: values.log,
  }),
);

await runDrill('upgrade', async (folder) => {
  if (!(await isInHistory())) {
    console.error(
      `This clone's history does not go back to ${EARLIER.version}: git fetch --unshallow --tags`,
    );
    return false;
  }
  console.log(`The upgrade from ${EARLIER.version} with seed ${seed}`);
  const result = await runUpgrade({ registrations, seed, folder, say: console.log });
  if (log) await writeFile(log, `${result.logLines.join('\n')}\n`);
  console.log(`\n${reportOf(result)}`);
  return result.problems.length === 0;
});
