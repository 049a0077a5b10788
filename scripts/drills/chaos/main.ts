import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endWithSignal } from './end-with-signal.ts';
import { reportOf } from './report.ts';
import { type ChaosResult, runChaos } from './run-chaos.ts';

const USAGE = 'npm run chaos -- [--registrations 500] [--seed N] [--log FILE]';
const LARGEST = 10_000;

const { registrations, seed, log } = readArguments();
const folder = join(process.cwd(), '.data', `chaos-${process.pid}`);
const cleanUp = endWithSignal(folder);

try {
  console.log(`Chaos with seed ${seed}`);
  const result = await runChaos({ registrations, seed, folder, say: console.log });
  await tell(result);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await cleanUp();
  process.exit();
}

async function tell(result: ChaosResult): Promise<void> {
  if (log) await writeFile(log, `${result.logLines.join('\n')}\n`);
  console.log(`\n${reportOf(result)}`);
  if (result.problems.length > 0) process.exitCode = 1;
}

function readArguments() {
  try {
    const { values } = parseArgs({
      args: process.argv.slice(3),
      options: {
        registrations: { type: 'string', default: '500' },
        seed: { type: 'string', default: String(randomInt(1_000_000)) },
        log: { type: 'string' },
      },
    });
    const registrations = wholeNumber(values.registrations);
    if (registrations < 1 || registrations > LARGEST) throw new Error(`1 to ${LARGEST} registrations`);
    return { registrations, seed: wholeNumber(values.seed), log: values.log };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(1);
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${text} is no whole number`);
  return Number(text);
}
