import type { FaultKind } from './plan-faults.ts';
import type { ChaosResult } from './run-chaos.ts';
import type { SmtpTrouble } from './smtp-sink.ts';
import type { Visit } from './visits.ts';

const SHOWN_PROBLEMS = 20;

const FAULTS: readonly (readonly [FaultKind, string])[] = [
  ['redis-killed', 'Redis killed'],
  ['redis-forgets', 'Redis killed, last second lost'],
  ['redis-frozen', 'Redis frozen'],
  ['worker-killed', 'worker killed'],
  ['app-killed', 'app killed at a payment'],
  ['app-killed-at-consent', 'app killed at a consent'],
  ['smtp-refused', 'SMTP refused'],
  ['smtp-hangs', 'SMTP hanging'],
  ['smtp-4xx', 'SMTP 4xx'],
  ['smtp-5xx', 'SMTP 5xx'],
  ['smtp-drops', 'SMTP dropped in the message'],
  ['smtp-cuts', 'SMTP cut before the OK'],
];

export type Row = readonly [string, ...(string | number)[]];

/** The tables of a run, and its verdict. */
export function reportOf(result: ChaosResult): string {
  return [
    table(countRows(result)),
    table(faultRows(result)),
    table([
      ['Latency of a registration, ms', 'p50', 'p99', 'slowest'],
      ['without faults', ...latencyOf(result.calm)],
      ['during the faults', ...latencyOf(result.stormy)],
      ['  answered at the first try', ...latencyOf(result.stormy.filter(({ tries }) => tries === 1))],
    ]),
    verdict(result.problems),
  ].join('\n');
}

/** That all is well, or what is wrong. */
export function verdict(problems: readonly string[]): string {
  if (problems.length === 0) return 'All is well.';
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `  - ${problem}`);
  const more = problems.length - shown.length;
  return [
    `${problems.length} things are wrong:`,
    ...shown,
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ].join('\n');
}

function countRows({ calm, stormy, consents, mails, lostLocks, retried, seconds }: ChaosResult): Row[] {
  const visits = [...calm, ...stormy];
  return [
    ['Registrations', visits.length],
    ['  of these paid', visits.filter(({ paid }) => paid).length],
    ['  sent again without an answer', visits.reduce((sum, { tries }) => sum + tries - 1, 0)],
    ['Consents expected', consents.expected],
    ['  recorded', consents.recorded],
    ['  lost', consents.lost],
    ['  written again', consents.doubled],
    [
      '  sent again without an answer',
      visits.reduce((sum, { consent }) => sum + (consent ? consent.tries - 1 : 0), 0),
    ],
    ['Mails expected', mails.expected],
    ['  received', mails.received],
    ['  lost', mails.lost],
    ['  repeated under one Message-ID', mails.repeated],
    ['  sent under a lost lock', lostLocks],
    ['  most copies of one mail', mails.mostCopies],
    ['  retried by support', retried],
    ['Seconds', seconds.toFixed(0)],
  ];
}

function faultRows({ faults, met }: ChaosResult): Row[] {
  const rows = FAULTS.map(([kind, label]): Row => {
    const happened = faults.filter((fault) => fault.kind === kind);
    const seconds = happened.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0) / 1000;
    return [label, happened.length, seconds.toFixed(1), isCounted(kind) ? met(kind) : '–'];
  });
  return [['Faults', 'times', 'seconds', 'mails met'], ...rows];
}

function isCounted(kind: FaultKind): kind is SmtpTrouble {
  return kind.startsWith('smtp-') && kind !== 'smtp-refused';
}

function latencyOf(visits: readonly Visit[]): [string, string, string] {
  const sorted = visits.map(({ latencyMs }) => latencyMs).toSorted((one, other) => one - other);
  const at = (share: number): string =>
    (sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0).toFixed(0);
  return [at(0.5), at(0.99), at(1)];
}

/** Rows under each other; the first cell is aligned left, the others right. */
export function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, ...cells]) =>
    [label.padEnd(width), ...cells.map((cell) => String(cell).padStart(9))].join(' '),
  );
  return `${lines.join('\n')}\n`;
}
