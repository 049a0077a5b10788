const SHOWN_PROBLEMS = 20;

export type Row = readonly [string, ...(string | number)[]];

/** Rows under each other; the first cell is aligned left, the others right. */
export function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, ...cells]) =>
    [label.padEnd(width), ...cells.map((cell) => String(cell).padStart(9))].join(' '),
  );
  return `${lines.join('\n')}\n`;
}

/** That all is well, or what is wrong. */
export function verdictOf(problems: readonly string[]): string {
  if (problems.length === 0) return 'All is well.';
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `  - ${problem}`);
  const more = problems.length - shown.length;
  return [
    `${problems.length} things are wrong:`,
    ...shown,
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ].join('\n');
}

/** The middle and the ends of some times, in whole milliseconds. */
export function latencies(times: readonly number[]): [p50: string, p99: string, slowest: string] {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): string =>
    (sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0).toFixed(0);
  return [at(0.5), at(0.99), at(1)];
}
