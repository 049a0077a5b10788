import { type Bookkeeping, type BookRow, type Sums, sumOf } from '#server/payments/bookkeeping.ts';
import { type CsvCell, csvHead, csvLines } from '#server/service/csv.ts';
import { localClock } from '#server/service/local-clock.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { withUtcOffset } from '#shared/local-time.ts';
import type { Register } from './act-context.ts';

/**
 * Where a month begins and ends: in the office's time zone, by whose days the office writes down checks. Stripe's reports
 * have the same months if the time zone of the account is chosen there, and not UTC.
 * @see https://docs.stripe.com/reports/options
 */
export const bookZone = edition.timetable.timeZone;

/** The month of a moment, such as `2026-01`. */
export const monthOf = (at: Date): string => localClock(bookZone.id).dateOf(at).slice(0, 7);

/** The month this many months later; before it for a negative number. */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/**
 * The money that moved in a month.
 * @throws {AppError} when Stripe or the register does not answer, or `TOO_MANY_TRANSACTIONS`
 */
export function tellBookkeeping(
  register: Pick<Register, 'readBookkeeping'>,
  month: string,
): Promise<Bookkeeping> {
  const beginning = (of: string) => new Date(withUtcOffset(`${of}-01T00:00`, bookZone.id));
  return register.readBookkeeping({ from: beginning(month), until: beginning(monthAfter(month, 1)) });
}

/** The ISO date of a row. */
export const dayOfRow = ({ at }: Pick<BookRow, 'at'>): string => localClock(bookZone.id).dateOf(at);

/** When the payout of a row is at the bank. */
export function payoutDay({ payout }: Pick<BookRow, 'payout'>): string {
  return payout ? (payout.failed ? 'failed' : payout.arrivesOn) : '';
}

/** The columns of a month for programs: text, or US cents. */
const columns: readonly (readonly [name: string, cellOf: (row: BookRow) => CsvCell])[] = [
  [`Date (${bookZone.name})`, dayOfRow],
  ['Name', ({ name }) => name],
  ['Registration', ({ registration }) => registration],
  ['Edition', ({ edition: id }) => id],
  ['What', ({ what }) => what],
  ['Way', ({ way }) => way],
  ['Gross (USD)', ({ grossCents }) => grossCents],
  ['Card fee asked (USD)', ({ feeAskedCents = '' }) => feeAskedCents],
  ['Stripe fee (USD)', ({ stripeFeeCents }) => stripeFeeCents],
  ['Net (USD)', ({ netCents }) => netCents],
  ['Payout', ({ payout }) => payout?.id ?? ''],
  ['Payout date', payoutDay],
  ['Country of card', ({ country = '' }) => country],
  ['Stripe ID', ({ stripeId = '' }) => stripeId],
];

/** A month for a spreadsheet, one line for each row: no sums, which a spreadsheet would count twice. */
export function bookkeepingCsv({ rows }: Bookkeeping): string {
  const lines = rows.map((row) => columns.map(([, cellOf]) => cellOf(row)));
  return csvHead(columns.map(([name]) => name)) + csvLines(lines);
}

/** A number of rows or transactions with their sums. */
export interface Total extends Sums {
  name: string;
  count: number;
}

const totalOf = (name: string, rows: readonly BookRow[]): Total => ({
  ...{ name, count: rows.length, ...sumOf(rows) },
});

/** The sums of a month by way, and of all ways. */
export function totalsByWay({ rows }: Bookkeeping): Total[] {
  const ways = [...new Set(rows.map(({ way }) => way))].toSorted();
  const totals = ways.map((way) =>
    totalOf(
      `By ${way}`,
      rows.filter((row) => row.way === way),
    ),
  );
  return [...totals, totalOf('Together', rows)];
}

/**
 * How a month adds up to what Stripe has: the rows by card, then what is not this site's, by what it is. The last line is
 * the sum of all transactions of the Stripe account, each of which is in just one line before.
 */
export function comparedWithStripe({ rows, others, atStripe }: Bookkeeping): Total[] {
  const ours = totalOf(
    'This site’s, by card',
    rows.filter(({ way }) => way === 'card'),
  );
  const other = others.map(({ what, ...sums }) => ({ name: `Not this site’s: ${what}`, ...sums }));
  return [ours, ...other, { name: 'All transactions at Stripe', ...atStripe }];
}

/** Whether rows and other transactions are, to the cent, all that Stripe has. */
export function addsUp(books: Bookkeeping): boolean {
  const compared = comparedWithStripe(books);
  const [all] = compared.slice(-1);
  const parts = compared.slice(0, -1);
  const { grossCents, stripeFeeCents, netCents } = sumOf(parts);
  return (
    all !== undefined &&
    all.count === parts.reduce((sum, { count }) => sum + count, 0) &&
    all.grossCents === grossCents &&
    all.stripeFeeCents === stripeFeeCents &&
    all.netCents === netCents
  );
}
