import { median } from '#scripts/drills/drill.ts';
import type { Round } from '#scripts/drills/mail-bench/run-bench.ts';
import type { Weight } from './first-view.ts';
import type { PhoneFigures } from './phone.ts';
import type { Figures } from './rounds.ts';

/** What a run has measured. */
export interface Measurements {
  servers: readonly Figures[];
  weights: readonly Weight[];
  memory: { firstRegistrationMs: number; appMb: number; workerMb: number };
  phones: Record<'page' | 'still', PhoneFigures>;
  mails: readonly Round[];
}

/** A floor or a ceiling, not a contest: once it holds, tuning stops. */
export interface Budget {
  budget: string;
  figure: number;
  bound: string;
  holds: boolean;
}

/** Compares what was measured with what is wanted. */
export function judgeBudgets({ servers, weights, memory, phones, mails }: Measurements): Budget[] {
  const { page, still } = phones;
  const server = (name: string) => servers.find((figures) => figures.name === name);
  const cpuUs = (name: string): number => server(name)?.cpuUs ?? Number.NaN;
  const p99 = (name: string): number => server(name)?.p99 ?? Number.NaN;
  const scripts = weights.find(({ kind }) => kind === 'scripts')?.bytes ?? Number.NaN;
  const mailRatio = median(mails.map(({ queue, bare }) => queue.perSecond / bare.perSecond));
  return [
    atLeast('cached page, of bare node on one core', cpuUs('bare node, 32') / cpuUs('page, 32'), 0.35),
    atMost('FCP on the phone, of the page without scripts', page.fcp / still.fcp, 1.1),
    atMost('LCP on the phone, of the page without scripts', page.lcp / still.lcp, 1.1),
    atMost('TBT on the phone, ms', page.tbt, 60),
    atMost('scripts until the first step answers, bytes', scripts, 95_000),
    atMost('press on the package to the contact step, ms', page.pressLater ?? Number.NaN, 300),
    atMost('start to the first registration answered, ms', memory.firstRegistrationMs, 1_000),
    atMost('app under load, MB', memory.appMb, 150),
    atMost('worker under load, MB', memory.workerMb, 150),
    atMost('own time of a registration at p99, ms', p99('registration') - p99('bare Stripe calls'), 10),
    atMost(
      'own time of the page of a registration at p99, ms',
      p99('page of a registration') - p99('bare Stripe reads'),
      10,
    ),
    atLeast('mails, of bare nodemailer', mailRatio, 0.8),
  ];
}

function atLeast(budget: string, figure: number, floor: number): Budget {
  return { budget, figure, bound: `>= ${floor}`, holds: figure >= floor };
}

function atMost(budget: string, figure: number, ceiling: number): Budget {
  return { budget, figure, bound: `<= ${ceiling}`, holds: figure <= ceiling };
}
