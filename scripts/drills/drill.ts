import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { stopChildren } from '#scripts/product/child.ts';

/** The options of a run, except its size. */
export interface DrillRun {
  /** The same seed makes the same random choices. */
  seed: number;
  /** For Redis's files; the caller removes it. */
  folder: string;
  say: (sentence: string) => void;
}

/**
 * Runs a drill in a folder of its own below `.data/`, and ends this process: with exit code 0 when the drill says that
 * all is well. Its processes end and its folder goes in any case, on a signal too.
 */
export async function runDrill(name: string, drill: (folder: string) => Promise<boolean>): Promise<void> {
  const folder = join(process.cwd(), '.data', `${name}-${process.pid}`);
  const { cleanUp, isInterrupted } = cleanUpOnSignal(folder);
  try {
    process.exitCode = (await drill(folder)) ? 0 : 1;
  } catch (error) {
    if (!isInterrupted()) console.error(error);
    process.exitCode = 1;
  } finally {
    await cleanUp();
    process.exit();
  }
}

/** On a signal the children of this process end first and a folder goes; a second signal does not wait. */
export function cleanUpOnSignal(folder: string) {
  const cleanUp = async (): Promise<void> => {
    await stopChildren();
    await rm(folder, { recursive: true, force: true });
  };
  let interrupted = false;
  const interrupt = async (): Promise<void> => {
    if (interrupted) process.exit(1);
    interrupted = true;
    await cleanUp();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  return { cleanUp, isInterrupted: () => interrupted };
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known }>>['values'];

/** Reads the options of `npm run DRILL -- --option value`; on a mistake, prints the usage and exits. */
export function readOptions<const Known extends Options, Result>(
  usage: string,
  options: Known,
  read: (values: Values<Known>) => Result,
): Result {
  try {
    return read(parseArgs({ args: process.argv.slice(3), options }).values);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`);
    process.exit(1);
  }
}

/** @throws {Error} naming the option, when its value is not a whole number between two */
export function wholeNumber(option: string, value: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`--${option} wants a whole number from ${least} to ${most}`);
}

const LARGEST_SEED = 999_999_999;

/** `--seed N`, random when left out. */
export const seedOption = { type: 'string', default: String(randomInt(1_000_000)) } as const;

/** @throws {Error} when the value is no valid seed */
export function readSeed(value: string): number {
  return wholeNumber('seed', value, 0, LARGEST_SEED);
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const [below = Number.NaN, above = Number.NaN] = [
    sorted[Math.ceil(middle) - 1],
    sorted[Math.floor(middle)],
  ];
  return (below + above) / 2;
}
