import { isDeepStrictEqual } from 'node:util';
import type { Register } from '#server/registration/acts.ts';
import { type CsvCell, csvHead, csvLines } from '#server/service/csv.ts';
import { localClock } from '#server/service/local-clock.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { withUtcOffset } from '#shared/dates.ts';
import {
  type Bookkeeping,
  type BookRow,
  readBookkeeping,
  type Total,
  totalOf,
  totalsBy,
} from './read-bookkeeping.ts';

/**
 * In whose time zone a month begins and ends: that of the office, by whose days checks are written down. Stripe's reports
 * have the same months if the time zone of the account is chosen there, and not UTC.
 * @see https://docs.stripe.com/reports/options
 */
export const bookZone = edition.timetable.timeZone;

/** The month of a moment, such as `2027-03`. */
export const monthOf = (at: Date): string => localClock(bookZone.id).dateOf(at).slice(0, 7);

/** The month this many months later; before it for a negative number. */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** The money that moved in a month. */
export function tellBookkeeping(register: Register, month: string): Promise<Bookkeeping> {
  const beginning = (of: string) => new Date(withUtcOffset(`${of}-01T00:00`, bookZone.id));
  return readBookkeeping(register, beginning(month), beginning(monthAfter(month, 1)));
}

/** The ISO date of a row. */
export const dayOfRow = ({ at }: BookRow): string => localClock(bookZone.id).dateOf(at);

/** When the payout of a row is at the bank. */
export const payoutDay = ({ payout }: BookRow): string => {
  if (payout === 'unknown') return 'not known';
  return payout?.failed ? 'failed' : (payout?.arrivesAt.toISOString().slice(0, 10) ?? '');
};

/** Its id, where it is known. */
export const payoutId = ({ payout }: BookRow): string => (payout === 'unknown' ? '' : (payout?.id ?? ''));

/** Up to when the sums know what moved at Stripe. */
export function knownUntil({ knownUntil: until }: Bookkeeping): string {
  if (until === null) return 'Stripe’s transactions are not known yet: they are listed once an hour.';
  return `Stripe’s transactions are known until ${localClock(bookZone.id).minuteOf(until)}; they are listed once an hour.`;
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
  ['Payout', payoutId],
  ['Payout date', payoutDay],
  ['Country of card', ({ country = '' }) => country],
  ['Stripe ID', ({ stripeId }) => stripeId ?? ''],
];

/** A month for a spreadsheet, one line for each row: no sums, which a spreadsheet would count twice. */
export function bookkeepingCsv({ rows }: Bookkeeping): string {
  const lines = rows.map((row) => columns.map(([, cellOf]) => cellOf(row)));
  return csvHead(columns.map(([name]) => name)) + csvLines(lines);
}

/** The sums of a month by way, and of all ways. */
export function totalsByWay({ rows }: Bookkeeping): Total[] {
  return [
    ...totalsBy(
      rows,
      ({ way }) => `By ${way}`,
      (row) => row,
    ),
    totalOf('Together', rows),
  ];
}

/**
 * How a month adds up to what Stripe has: the rows by card, then what is not this site's, by what it is. The last line
 * is the sum of all transactions of the Stripe account, each of which is in just one line before.
 */
export function comparedWithStripe({ rows, others, atStripe }: Bookkeeping): Total[] {
  const byCard = rows.filter(({ way }) => way === 'card');
  // Stripe does not know what was asked for paying by card.
  const ours = { ...totalOf('This site’s, by card', byCard), feeAskedCents: 0 };
  return [ours, ...others, atStripe];
}

/** Whether rows and other transactions are, to the cent, all that Stripe has. */
export function addsUp(books: Bookkeeping): boolean {
  const { atStripe } = books;
  const parts = comparedWithStripe(books).slice(0, -1);
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return isDeepStrictEqual({ ...totalOf(atStripe.name, parts), count }, atStripe);
}

/** Dollars with two digits, so that the points of a column stand below each other. */
export const plainDollars = (cents: number): string => amounts.format(cents / 100);

const amounts = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 });

/** What the comparison of a month has come to, in sentences. */
export function verdictOn(books: Bookkeeping): string[] {
  const { differences } = books;
  return [
    addsUp(books)
      ? 'The rows and what is not this site’s add up to all of it, to the cent.'
      : 'The rows and what is not this site’s do not add up to all of it: please tell the person who looks after the site.',
    differences.length === 0
      ? 'The register has the same payments and refunds for this month, to the cent.'
      : 'The register has other sums for what follows. A refund that waits has no transaction yet, and what happened in the last quarter of an hour may not be in the register.',
    ...differences.map(
      ({ id, onRecordCents, atStripeCents }) =>
        `${id}: ${plainDollars(onRecordCents)} in the register, ${plainDollars(atStripeCents)} at Stripe.`,
    ),
  ];
}
