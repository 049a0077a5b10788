import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopChildren } from '#scripts/product/child.ts';
import { reportOf } from './report.ts';
import { runAbuse } from './run-abuse.ts';

const USAGE = 'npm run abuse [-- --requests 5000 --seed N]';
const LARGEST = 50_000;
const LONGEST_S = 300;

const { requests, seed } = readArguments();
const folder = join(process.cwd(), '.data', `abuse-${process.pid}`);
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);

try {
  console.log(`Abuse with seed ${seed}`);
  const slow = ['silence', 'head', 'body'] as const;
  const result = await runAbuse({ requests, seed, seconds: LONGEST_S, slow, folder, say: console.log });
  console.log(`\n${reportOf(result)}`);
  if (result.problems.length > 0) process.exitCode = 1;
} catch (error) {
  if (!interrupted) console.error(error);
  process.exitCode = 1;
} finally {
  await stopChildren();
  await rm(folder, { recursive: true, force: true });
  process.exit();
}

/** Ends the processes and leaves nothing behind; a second signal does not wait. */
async function interrupt(): Promise<void> {
  if (interrupted) process.exit(1);
  interrupted = true;
  await stopChildren();
  await rm(folder, { recursive: true, force: true });
  process.exit(1);
}

function readArguments() {
  try {
    const { values } = parseArgs({
      args: process.argv.slice(3),
      options: {
        requests: { type: 'string', default: '5000' },
        seed: { type: 'string', default: String(randomInt(1_000_000)) },
      },
    });
    const requests = wholeNumber(values.requests);
    if (requests < 1 || requests > LARGEST) throw new Error(`1 to ${LARGEST} requests`);
    return { requests, seed: wholeNumber(values.seed) };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(1);
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${text} is no whole number`);
  return Number(text);
}
