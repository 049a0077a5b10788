import { readOptions, readSeed, runDrill, seedOption, wholeNumber } from '#scripts/drills/drill.ts';
import { runAbuse } from './run-abuse.ts';

const SHOWN_PROBLEMS = 20;

const options = readOptions(
  'npm run abuse [-- --requests 5000 --seed N]',
  { requests: { type: 'string', default: '5000' }, seed: seedOption },
  (values) => ({
    requests: wholeNumber('requests', values.requests, 1, 50_000),
    seed: readSeed(values.seed),
  }),
);

await runDrill('abuse', async (folder) => {
  console.log(`Abuse with seed ${options.seed}`);
  const { tally, sieges, rests, problems } = await runAbuse({
    ...options,
    folder,
    say: console.log,
  });
  const outcomes = [...tally].map(([attack, counts]) => ({
    attack,
    'what came back': [...counts].map(([outcome, times]) => `${outcome} × ${times}`).join(', '),
  }));
  console.table([...outcomes, ...[...sieges].map(([attack, told]) => ({ attack, 'what came back': told }))]);
  console.table(rests);
  for (const problem of problems.slice(0, SHOWN_PROBLEMS)) console.log(`  - ${problem}`);
  console.log(problems.length === 0 ? 'All is well.' : `${problems.length} things are wrong.`);
  return problems.length === 0;
});
