import { randomInt } from 'node:crypto';
import { readOptions, runDrill, wholeNumber } from '#scripts/drills/drill.ts';
import { reportOf } from './report.ts';
import { runAbuse } from './run-abuse.ts';

const LONGEST_S = 300;
const LARGEST_SEED = 999_999_999;

const { requests, seed } = readOptions(
  'npm run abuse [-- --requests 5000 --seed N]',
  {
    requests: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
  (values) => ({
    requests: wholeNumber('requests', values.requests, 1, 50_000),
    seed: wholeNumber('seed', values.seed, 0, LARGEST_SEED),
  }),
);

await runDrill('abuse', async (folder) => {
  console.log(`Abuse with seed ${seed}`);
  const slow = ['silence', 'head', 'body'] as const;
  const result = await runAbuse({ requests, seed, seconds: LONGEST_S, slow, folder, say: console.log });
  console.log(`\n${reportOf(result)}`);
  return result.problems.length === 0;
});
