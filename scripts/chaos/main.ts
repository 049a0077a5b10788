import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { stopChildren } from '#scripts/product/child.ts';
import { FOLDER, run } from './run.ts';

const SHOWN = 20;

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    registrations: { type: 'string', default: '100' },
    seed: { type: 'string' },
    year: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? randomInt(1_000_000));

let isEnding = false;
const end = async (code: number): Promise<never> => {
  // A second signal does not wait.
  if (isEnding) process.exit(1);
  isEnding = true;
  await stopChildren();
  await rm(FOLDER, { recursive: true, force: true });
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(1));

console.log(`chaos with seed ${seed}`);
try {
  const { problems, counted } = await run({
    registrations: Number(values.registrations),
    seed,
    year: values.year,
    say: console.log,
  });
  console.table(counted);
  for (const problem of problems.slice(0, SHOWN)) console.log(`- ${problem}`);
  console.log(problems.length === 0 ? 'All is well.' : `${problems.length} things are wrong.`);
  await end(Number(problems.length > 0));
} catch (error) {
  console.error(error);
  await end(1);
}
