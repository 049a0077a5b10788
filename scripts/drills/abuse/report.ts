import type { AbuseResult } from './run-abuse.ts';

const SHOWN_PROBLEMS = 20;

/** The tables of a run, and its verdict. */
export function reportOf({ tally, slow, known, before, after, seconds, problems }: AbuseResult): string {
  const attacks = [...tally].map(([name, outcomes]): Row => {
    const sorted = [...outcomes].toSorted(([one], [other]) => String(one).localeCompare(String(other)));
    const tried = sorted.reduce((sum, [, times]) => sum + times, 0);
    return [name, String(tried), sorted.map(([outcome, times]) => `${outcome} × ${times}`).join(', ')];
  });
  const slowRows = slow.map(({ slowness, count, refused, seconds: lasted }): Row => {
    return [
      `slow clients: ${slowness}`,
      String(count),
      `408 × ${refused}, all cut off after ${lasted.toFixed(1)} s`,
    ];
  });
  const total = attacks.reduce((sum, [, tried]) => sum + Number(tried), 0);
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `  - ${problem}`);
  return [
    table([['Attack', 'tried', 'what came back'], ...attacks, ...slowRows]),
    table([
      ['Known attack', 'verdict', 'what came of it'],
      ...known.map(({ name, held, told }): Row => [name, held ? 'held' : 'WORKED', told]),
    ]),
    table([
      ['At rest', 'before', 'after'],
      ['heap, MB', before.heapMb.toFixed(1), after.heapMb.toFixed(1)],
      ['memory, MB', before.rssMb.toFixed(0), after.rssMb.toFixed(0)],
      ['open files', String(before.files ?? '–'), String(after.files ?? '–')],
    ]),
    `${total} requests in ${seconds.toFixed(0)} s.`,
    problems.length === 0 ? 'All is well.' : `${problems.length} things are wrong:`,
    ...shown,
    ...(problems.length > shown.length ? [`  … and ${problems.length - shown.length} more`] : []),
  ].join('\n');
}

type Row = readonly [label: string, count: string, told: string];

function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, count, told]) => `${label.padEnd(width)} ${count.padStart(8)}  ${told}`);
  return `${lines.join('\n')}\n`;
}
