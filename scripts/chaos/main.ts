import { randomInt } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { stopChildren } from '#scripts/product/child.ts';
import { FOLDER, run } from './run.ts';

const SHOWN = 20;

const number = (most: number, usual: number) =>
  v.optional(v.pipe(v.string(), v.digits(), v.transform(Number), v.maxValue(most)), String(usual));
const { log, ...options } = v.parse(
  v.object({
    registrations: number(10_000, 100),
    seed: number(999_999_999, randomInt(1_000_000)),
    year: v.optional(v.boolean(), false),
    log: v.optional(v.string()),
  }),
  parseArgs({
    args: process.argv.slice(3),
    options: {
      registrations: { type: 'string' },
      seed: { type: 'string' },
      year: { type: 'boolean' },
      log: { type: 'string' },
    },
  }).values,
);

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

console.log(`chaos with seed ${options.seed}`);
try {
  const { problems, counted, lines } = await run({ ...options, say: console.log });
  if (log) await writeFile(log, lines.join('\n'));
  console.table(counted);
  for (const problem of problems.slice(0, SHOWN)) console.log(`- ${problem}`);
  console.log(problems.length === 0 ? 'All is well.' : `${problems.length} things are wrong.`);
  await end(Number(problems.length > 0));
} catch (error) {
  console.error(error);
  await end(1);
}
