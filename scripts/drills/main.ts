import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { stopChildren } from '#scripts/product/child.ts';
import { type DrillRun, inFolder, type Outcome } from './drill.ts';

const SHOWN_PROBLEMS = 20;

/** The options that are numbers: the least, the most, and what they are when left out. */
const NUMBERS = {
  seed: [0, 999_999_999, randomInt(1_000_000)],
  requests: [1, 50_000, 5_000],
  registrations: [1, 10_000, 500],
  apps: [2, 20, 5],
  workers: [2, 20, 3],
} as const;
type NumberName = keyof typeof NUMBERS;

type Given = Omit<ReturnType<typeof readOptions>, 'log'> & Pick<DrillRun, 'folder' | 'say'>;

/** The options of each drill, and what runs it. */
const DRILLS: Readonly<Record<string, { takes: string; run: (given: Given) => Promise<Outcome> }>> = {
  abuse: {
    takes: 'requests seed',
    run: async (given) => (await import('./abuse/run-abuse.ts')).runAbuse(given),
  },
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
  fleet: {
    takes: 'apps workers seed log',
    run: async (given) => (await import('./fleet/run-fleet.ts')).runFleet(given),
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
  const text = { type: 'string' } as const;
  const texts = { seed: text, requests: text, registrations: text, apps: text, workers: text };
  const options = { ...texts, log: text, only: text, year: { type: 'boolean', default: false } } as const;
  try {
    const { values } = parseArgs({ args, options });
    for (const [option, value] of Object.entries(values))
      if (value !== false && !taken.includes(option)) throw new Error(`There is no --${option} here`);
    const number = (option: NumberName): number => wholeNumber(option, values[option]);
    return {
      ...{ seed: number('seed'), requests: number('requests'), registrations: number('registrations') },
      ...{ apps: number('apps'), workers: number('workers'), year: values.year },
      ...(values.only !== undefined && { only: values.only }),
      log: values.log,
    };
  } catch (error) {
    const usage = `npm run ${name} [-- ${taken.map((option) => `--${option}`).join(' ')}]`;
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(1);
  }
}

/** @throws {Error} naming the option, when its value is not a whole number between two */
function wholeNumber(option: NumberName, value: string | undefined): number {
  const [least, most, usual] = NUMBERS[option];
  if (value === undefined) return usual;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`--${option} wants a whole number from ${least} to ${most}`);
}

function verdictOf(problems: readonly string[]): string {
  if (problems.length === 0) return 'All is well.';
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `  - ${problem}`);
  const more = problems.length - shown.length;
  const last = more > 0 ? [`  … and ${more} more`] : [];
  return [`${problems.length} things are wrong:`, ...shown, ...last].join('\n');
}
