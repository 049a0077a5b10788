import { mkdir, rm, writeFile } from 'node:fs/promises';
import { stopChildren } from '#scripts/product/child.ts';
import { type Costs, measureCosts } from './measure-costs.ts';

const FOLDER = '.data/load';

process.env.NODE_ENV = 'production';
const { build } = await import('#scripts/build/build.ts');

try {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  await build('production', `${FOLDER}/build`);
  const all: Costs[] = [];
  for (const apps of [1, 2]) all.push(await measureCosts(apps, `${FOLDER}/build`, `${FOLDER}/redis-${apps}`));
  for (const { apps, costs, stripeCalls, memoryMb, redisBytes } of all) {
    console.log(`${apps} app(s): CPU in ms, for one of each`);
    console.table(costs);
    console.log('Calls to Stripe, for one registration begun and its letters');
    console.table(stripeCalls);
    console.table([{ ...memoryMb, ...redisBytes }]);
  }
  await writeFile(`${FOLDER}/report.json`, `${JSON.stringify(all, null, 2)}\n`);
  console.log(`Written to ${FOLDER}/report.json`);
} finally {
  await stopChildren();
}
process.exit();
