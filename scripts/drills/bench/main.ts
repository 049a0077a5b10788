import { mkdir, writeFile } from 'node:fs/promises';
import { stopChildren } from '#scripts/product/child.ts';
import { chromiumProgram, ensureProgram } from '#scripts/product/system-package.ts';
import { judgeBudgets } from './budgets.ts';
import { measureServers } from './measure-servers.ts';
import { measurePhones } from './phones.ts';
import { residentMb } from './rounds.ts';
import { setStage } from './stage.ts';

const FOLDER = '.data/bench';
const MAILS = 2_000;
const BUILD_FOLDER = `${FOLDER}/build`;

// As in production: React reads NODE_ENV when it is loaded.
process.env.NODE_ENV = 'production';
const { build } = await import('#scripts/build/build.ts');
const { runBench } = await import('#scripts/drills/mail-bench/run-bench.ts');
const { weighFirstView } = await import('./first-view.ts');

process.env.CHROMIUM_PATH ??= ensureProgram(chromiumProgram);

try {
  await mkdir(FOLDER, { recursive: true });
  await build('production', BUILD_FOLDER);
  const stage = await setStage(BUILD_FOLDER, FOLDER);
  const weights = await weighFirstView(BUILD_FOLDER);
  const servers = await measureServers(stage, FOLDER, BUILD_FOLDER);
  const memory = {
    firstRegistrationMs: stage.firstRegistrationMs,
    appMb: residentMb(stage.app.pid),
    workerMb: residentMb(stage.worker.pid),
  };
  const phones = await measurePhones(stage.siteUrl);
  if (stage.crashes.length > 0) throw new Error(stage.crashes.join(' '));
  const mails = await runBench(MAILS, `${FOLDER}/mails`);
  const budgets = judgeBudgets({ servers, weights, memory, phones, mails });
  console.table(servers.map(readable));
  console.table(weights);
  console.table([readable(memory)]);
  console.table(phones);
  console.table(budgets.map(readable));
  const report = { at: new Date().toISOString(), servers, weights, memory, phones, mails, budgets };
  await writeFile(`${FOLDER}/report.json`, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`Written to ${FOLDER}/report.json`);
} finally {
  await stopChildren();
}
process.exit();

/** A row as it fits into a table. */
function readable(row: object): object {
  const cells = Object.entries(row).map(([name, cell]) => {
    if (typeof cell === 'number') return [name, Number(cell.toFixed(2))];
    return [name, typeof cell === 'object' ? JSON.stringify(cell) : cell];
  });
  return Object.fromEntries(cells);
}
