import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { stopChildren } from '#scripts/product/child.ts';
import { type DrillRun, inFolder, type Outcome } from './drill.ts';

const SHOWN_PROBLEMS = 20;

const number = (least: number, most: number, usual: number) =>
  v.optional(
    v.pipe(
      v.string(),
      v.digits('wants a whole number'),
      v.transform(Number),
      v.minValue(least, `is ${least} at least`),
      v.maxValue(most, `is ${most} at most`),
    ),
    String(usual),
  );

const optionsSchema = v.object({
  seed: number(0, 999_999_999, randomInt(1_000_000)),
  registrations: number(1, 10_000, 500),
  year: v.optional(v.boolean(), false),
  only: v.exactOptional(v.string()),
  log: v.optional(v.string()),
});

type Given = Omit<v.InferOutput<typeof optionsSchema>, 'log'> & Pick<DrillRun, 'folder' | 'say'>;

const DRILLS: Readonly<Record<string, { takes: string; run: (given: Given) => Promise<Outcome> }>> = {
  bench: {
    takes: 'only',
    async run(given) {
      // As in production: React reads NODE_ENV when it is loaded.
      process.env.NODE_ENV = 'production';
      return (await import('./bench/run-bench.ts')).runBench(given);
    },
  },
  chaos: {
    takes: 'year registrations seed log',
    run: async (given) =>
      given.year
        ? (await import('./chaos/year.ts')).runYear(given)
        : (await import('./chaos/chaos.ts')).runChaos(given),
  },
};

const [name = '', ...args] = process.argv.slice(2);
const drill = DRILLS[name];
if (!drill) throw new Error(`There is no drill ${name}`);
const { log, ...given } = readOptions(drill.takes.split(' '));

try {
  process.exitCode = await inFolder(name, async (folder) => {
    if (drill.takes.includes('seed')) console.log(`${name} with seed ${given.seed}`);
    const outcome = await drill.run({ ...given, folder, say: console.log });
    if (log) await writeFile(log, `${(outcome.logLines ?? []).join('\n')}\n`);
    console.log(`\n${outcome.report}\n${verdictOf(outcome.problems)}`);
    return Number(outcome.problems.length > 0);
  });
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await stopChildren();
  process.exit();
}

/** Reads the options of `npm run DRILL -- --option value`; on a mistake, prints the usage and exits. */
function readOptions(taken: readonly string[]) {
  const typeOf = (option: string) => ({ type: option === 'year' ? 'boolean' : 'string' }) as const;
  try {
    const options = Object.fromEntries(taken.map((option) => [option, typeOf(option)]));
    return v.parse(optionsSchema, parseArgs({ args, options }).values);
  } catch (error) {
    const option = error instanceof v.ValiError ? `--${v.getDotPath(error.issues[0])} ` : '';
    const usage = `npm run ${name} [-- ${taken.map((one) => `--${one}`).join(' ')}]`;
    console.error(`${option}${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(1);
  }
}

function verdictOf(problems: readonly string[]): string {
  if (problems.length === 0) return 'All is well.';
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `  - ${problem}`);
  const more = problems.length - shown.length;
  const last = more > 0 ? [`  … and ${more} more`] : [];
  return [`${problems.length} things are wrong:`, ...shown, ...last].join('\n');
}
