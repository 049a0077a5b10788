import { readOptions, readSeed, runDrill, seedOption, wholeNumber } from '#scripts/drills/drill.ts';
import { reportOf } from './report.ts';
import { runAbuse } from './run-abuse.ts';

const LONGEST_S = 300;

const { requests, seed } = readOptions(
  'npm run abuse [-- --requests 5000 --seed N]',
  {
    requests: { type: 'string', default: '5000' },
    seed: seedOption,
  },
  (values) => ({
    requests: wholeNumber('requests', values.requests, 1, 50_000),
    seed: readSeed(values.seed),
  }),
);

await runDrill('abuse', async (folder) => {
  console.log(`Abuse with seed ${seed}`);
  const slow = ['silence', 'head', 'body'] as const;
  const result = await runAbuse({ requests, seed, seconds: LONGEST_S, slow, folder, say: console.log });
  console.log(`\n${reportOf(result)}`);
  return result.problems.length === 0;
});
