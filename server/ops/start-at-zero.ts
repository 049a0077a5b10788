import type { Counter, LabelValues } from 'prom-client';

/** Has a counter report these from the beginning: of what appears at 1, Prometheus sees no increase. */
export function startAtZero<Label extends string>(
  counter: Counter<Label>,
  ...labels: readonly LabelValues<Label>[]
): void {
  for (const values of labels) counter.inc(values, 0);
}
