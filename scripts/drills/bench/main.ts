import { readOptions, runDrill } from '#scripts/drills/drill.ts';
import { chromiumProgram, ensureProgram } from '#scripts/product/system-package.ts';
import { type BudgetName, budgets, type Figures, judge } from './budgets.ts';

// As in production: React reads NODE_ENV when it is loaded.
process.env.NODE_ENV = 'production';
const { weighFirstView } = await import('./first-view.ts');
const { measureMails } = await import('./mails.ts');
const servers = await import('./measure-servers.ts');
const { measurePhone } = await import('./phone.ts');
const { setStage } = await import('./stage.ts');

const { only } = readOptions('npm run bench [-- --only BUDGET]', { only: { type: 'string' } }, (values) => {
  if (values.only === undefined || values.only in budgets) return values;
  throw new Error(`--only wants one of ${Object.keys(budgets).join(', ')}`);
});

process.env.CHROMIUM_PATH ??= ensureProgram(chromiumProgram);

await runDrill('bench', async (folder) => {
  const stage = await setStage(folder);
  /** What is measured, and the budgets that it is measured for; memory after everything else. */
  const measurements: [readonly BudgetName[], () => Promise<Partial<Figures>>][] = [
    [
      ['html', 'inline-style', 'later-style', 'fonts', 'script-at-load', 'scripts'],
      () => weighFirstView('dist'),
    ],
    [['start'], () => servers.measureStart(stage)],
    [['page'], () => servers.measurePage(stage)],
    [
      ['registration', 'registration-cpu', 'letters-cpu', 'stripe-calls'],
      () => servers.measureRegistrations(stage),
    ],
    [['place'], () => servers.measurePlaces(stage)],
    [['app-memory', 'worker-memory'], () => servers.measureMemory(stage)],
    [['mails'], () => measureMails(stage, folder)],
    [['fcp', 'lcp', 'tbt', 'press'], () => measurePhone(stage)],
  ];
  const figures: Partial<Figures> = {};
  for (const [names, measure] of measurements) {
    if (only !== undefined && !names.some((name) => name === only)) continue;
    console.log(`Measuring ${names.join(', ')} …`);
    Object.assign(figures, await measure());
  }
  if (stage.crashes.length > 0) throw new Error(stage.crashes.join(' '));
  const verdicts = judge(figures);
  console.table(verdicts);
  return verdicts.every(({ ok }) => ok);
});
