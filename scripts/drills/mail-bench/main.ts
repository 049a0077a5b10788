import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopChildren } from '#scripts/product/child.ts';

// As in production: React chooses by it while it loads.
process.env.NODE_ENV = 'production';
const { reportOf } = await import('./report.ts');
const { runBench } = await import('./run-bench.ts');

const USAGE = 'npm run bench:mail [-- --mails 2000]';

const mails = readMails();
const folder = join(process.cwd(), '.data', `bench-mail-${process.pid}`);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(1));

try {
  console.log(reportOf(await runBench(mails, folder), mails));
  await end(0);
} catch (error) {
  console.error(error);
  await end(1);
}

async function end(exitCode: number): Promise<void> {
  await stopChildren();
  await rm(folder, { recursive: true, force: true });
  process.exit(exitCode);
}

function readMails(): number {
  try {
    const options = { mails: { type: 'string', default: '2000' } } as const;
    const { values } = parseArgs({ args: process.argv.slice(3), options });
    if (!/^[1-9]\d{0,5}$/.test(values.mails)) throw new Error('--mails wants a whole number');
    return Number(values.mails);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(1);
  }
}
