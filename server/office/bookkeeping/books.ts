import { isDeepStrictEqual } from 'node:util';
import { type CsvCell, csvHead, csvLines } from '#server/service/csv.ts';
import { bookZone } from './months.ts';
import type { BookMonth, BookRow } from './read-month.ts';

export const SUMS = [
  ['Gross (USD)', 'grossCents'],
  ['Card fee asked (USD)', 'feeAskedCents'],
  ['Stripe fee (USD)', 'stripeFeeCents'],
  ['Net (USD)', 'netCents'],
] as const;

type Column = readonly [heading: string, of: Exclude<keyof BookRow, 'at'>, className?: string];

export const COLUMNS: readonly Column[] = [
  [`Date (${bookZone.name})`, 'day', 'book-day'],
  ['Name', 'name', 'book-who'],
  ['Registration', 'registration', 'book-ids'],
  ['Edition', 'edition'],
  ['What', 'what'],
  ['Way', 'way'],
  ...SUMS.map(([heading, of]): Column => [heading, of, 'book-sum']),
  ['Payout', 'payout', 'book-ids'],
  ['Payout date', 'payoutDay', 'book-day'],
  ['Country of card', 'country'],
  ['Stripe ID', 'stripeId', 'book-ids'],
];

/** A line for each row, and no sums: a spreadsheet would count them twice. */
export function csvOf({ rows }: BookMonth): string {
  const lines = rows.map((row) => COLUMNS.map(([, of]): CsvCell => row[of] ?? ''));
  return csvHead(COLUMNS.map(([heading]) => heading)) + csvLines(lines);
}

function totalOf(name: string, rows: readonly BookRow[]) {
  const total = { name, count: rows.length, grossCents: 0, feeAskedCents: 0, stripeFeeCents: 0, netCents: 0 };
  for (const row of rows) for (const [, of] of SUMS) total[of] += row[of] ?? 0;
  return total;
}

export type Total = ReturnType<typeof totalOf>;

function totalsBy(of: 'what' | 'way', rows: readonly BookRow[]): Total[] {
  const names = [...new Set(rows.map((row) => row[of]))].toSorted();
  return names.map((name) => {
    const some = rows.filter((row) => row[of] === name);
    return totalOf(name, some);
  });
}

export const totalsByWay = ({ rows }: BookMonth) => [...totalsBy('way', rows), totalOf('Together', rows)];

/** The rows by card and what is not this site's, against all transactions of the account. */
export function compareWithStripe({ rows, others, totalAtStripe }: BookMonth) {
  const byCard = rows.filter(({ way }) => way === 'card');
  const sum = totalOf('All transactions at Stripe', [...byCard, ...others]);
  // The card fee is a part of the gross sum, which Stripe does not know apart.
  const all = { ...sum, ...totalAtStripe };
  const totals = [totalOf('This site’s, by card', byCard), ...totalsBy('what', others), all];
  return { totals, addsUp: isDeepStrictEqual(sum, all) };
}
