import { type DrillRun, type Outcome, type Row, table } from '#scripts/drills/drill.ts';
import { stopChildren } from '#scripts/product/child.ts';
import { chromiumProgram, ensureProgram } from '#scripts/product/system-package.ts';
import { type BudgetName, budgets, type Figures, judge } from './budgets.ts';
import { weighFirstView } from './first-view.ts';
import { measureMails } from './mails.ts';
import * as servers from './measure-servers.ts';
import { measureOffice } from './office.ts';
import { measurePhone } from './phone.ts';
import { type Stage, setStage } from './stage.ts';

/** What is measured, and the budgets that it is measured for; memory after everything else. */
const MEASUREMENTS: readonly (readonly [
  readonly BudgetName[],
  (stage: Stage, folder: string) => Promise<Partial<Figures>>,
])[] = [
  [['html', 'inline-style', 'later-style', 'fonts', 'scripts'], () => weighFirstView('dist')],
  [['start'], servers.measureStart],
  [['page'], servers.measurePage],
  [['registration', 'registration-cpu', 'letters-cpu'], servers.measureRegistrations],
  [['own-page'], servers.measureOwnPages],
  [['app-memory', 'worker-memory'], servers.measureMemory],
  [['office-list', 'office-search', 'office-csv'], measureOffice],
  [['mails'], measureMails],
  [['fcp', 'lcp', 'tbt', 'press'], measurePhone],
];

/** Measures all budgets, or what one of them needs. */
export async function runBench({
  folder,
  say,
  only,
}: Omit<DrillRun, 'seed'> & { only?: string }): Promise<Outcome> {
  if (only !== undefined && !Object.hasOwn(budgets, only))
    throw new Error(`--only wants one of ${Object.keys(budgets).join(', ')}`);
  process.env.CHROMIUM_PATH ??= ensureProgram(chromiumProgram);
  try {
    const stage = await setStage(folder);
    const figures: Partial<Figures> = {};
    for (const [names, measure] of MEASUREMENTS) {
      if (only !== undefined && !names.some((name) => name === only)) continue;
      say(`Measuring ${names.join(', ')} …`);
      Object.assign(figures, await measure(stage, folder));
    }
    const verdicts = judge(figures);
    const over = verdicts.filter(({ ok }) => !ok).map(({ budget }) => `${budget} is over its budget`);
    const rows = verdicts.map(
      ({ budget, says, limit, measured, ok }): Row => [
        `${budget}: ${says}, ${limit}`,
        measured,
        ok ? '' : 'over',
      ],
    );
    return { report: table(rows), problems: [...over, ...stage.crashes] };
  } finally {
    await stopChildren();
  }
}
