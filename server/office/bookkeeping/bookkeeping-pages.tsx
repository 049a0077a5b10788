import { isDeepStrictEqual } from 'node:util';
import type { IRouter, Request } from 'express';
import * as v from 'valibot';
import { month as monthSchema } from '#server/office/commands/inputs.ts';
import { csvOf, sendCsv } from '#server/office/csv.ts';
import type { Office } from '#server/office/office.ts';
import { type Column, DataTable, LinkLine, LinkList, PersonLink, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import {
  type BookMonth,
  type BookRow,
  bookZone,
  dateOf,
  minuteOf,
  monthAfter,
  readMonth,
} from './read-month.ts';

const SUMS = [
  ['Gross (USD)', 'grossCents'],
  ['Card fee asked (USD)', 'feeAskedCents'],
  ['Stripe fee (USD)', 'stripeFeeCents'],
  ['Net (USD)', 'netCents'],
] as const;

type BookColumn = readonly [heading: string, of: Exclude<keyof BookRow, 'at'>, className?: string];

const COLUMNS: readonly BookColumn[] = [
  [`Date (${bookZone.name})`, 'day', 'day'],
  ['Name', 'name', 'ids'],
  ['Registration', 'registration', 'ids'],
  ['Edition', 'edition'],
  ['What', 'what'],
  ['Way', 'way'],
  ...SUMS.map(([heading, of]): BookColumn => [heading, of, 'sum']),
  ['Payout', 'payout', 'ids'],
  ['Payout date', 'payoutDay', 'day'],
  ['Country of card', 'country'],
  ['Stripe ID', 'stripeId', 'ids'],
];

export function addBookkeepingPages(
  router: IRouter,
  { send, database, now }: Pick<Office, 'send' | 'database' | 'now'>,
): void {
  const current = () => dateOf(now()).slice(0, 7);
  const read = (req: Request) =>
    readMonth(database, v.parse(v.fallback(monthSchema, current()), req.query.month));
  router.get(officePaths.bookkeeping, async (req, res) => {
    const books = await read(req);
    const title = `Money: ${monthName(books.month)}`;
    send(res, 200, title, <BookkeepingPage books={books} current={current()} />);
  });
  router.get(officePaths.bookkeepingCsv, async (req, res) => {
    const { month, rows } = await read(req);
    const columns = COLUMNS.map(([heading, of]) => [heading, (row: BookRow) => row[of] ?? ''] as const);
    // No line with sums: a spreadsheet would count them twice.
    sendCsv(res, `bookkeeping-${month}`, csvOf(columns, rows));
  });
}

function totalOf(name: string, rows: readonly BookRow[]) {
  const total = { name, count: rows.length, grossCents: 0, feeAskedCents: 0, stripeFeeCents: 0, netCents: 0 };
  for (const row of rows) for (const [, of] of SUMS) total[of] += row[of] ?? 0;
  return total;
}
type Total = ReturnType<typeof totalOf>;

const totalsBy = (of: 'what' | 'way', rows: readonly BookRow[]): Total[] =>
  [...new Set(rows.map((row) => row[of]))].toSorted().map((name) => {
    const some = rows.filter((row) => row[of] === name);
    return totalOf(name, some);
  });

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

function BookkeepingPage({ books, current }: { books: BookMonth; current: string }) {
  const { month, knownUntil, rows, differences } = books;
  const { totals, addsUp } = compareWithStripe(books);
  return (
    <>
      <Months month={month} current={current} />
      <p className="fine">
        {`Days and months are ${bookZone.name}, as the office writes down checks. To compare this month with a report of Stripe’s dashboard, choose the time zone of your account there, and not UTC. `}
        {month === current && 'The month is not over: this is what has moved so far. '}
        {`Stripe’s transactions are ${knownUntil ? `known until ${minuteOf(knownUntil)}` : 'not known yet'}; they are listed once an hour.`}
      </p>
      <Section id="sums" title="Sums">
        <Totals caption="This site’s money, by the way it went" rows={totalsByWay(books)} />
      </Section>
      <Section id="stripe" title="Compared with Stripe">
        <Totals caption="All transactions of the Stripe account" rows={totals} />
        <p>
          {addsUp
            ? 'The rows and what is not this site’s add up to all of it, to the cent.'
            : 'The rows and what is not this site’s do not add up to all of it: please tell the person who looks after the site.'}
        </p>
        <p>
          {differences.length === 0
            ? 'The register has the same payments and refunds for this month, to the cent.'
            : 'The register has other sums for what follows. A refund that waits has no transaction yet, and what happened in the last quarter of an hour may not be in the register.'}
        </p>
        {differences.map(({ id, onRecordCents, atStripeCents }) => (
          <p key={id}>
            {`${id}: ${dollars(onRecordCents)} in the register, ${dollars(atStripeCents)} at Stripe.`}
          </p>
        ))}
      </Section>
      <Section id="rows" title="Each payment and refund">
        <LinkLine to={`${officePaths.bookkeepingCsv}?month=${month}`}>For a spreadsheet (CSV)</LinkLine>
        <BookTable
          caption="The oldest first"
          columns={COLUMNS.map(([heading, of, look]) => [heading, (row: BookRow) => cellOf(row, of), look])}
          rows={rows}
          named="Name"
        />
      </Section>
    </>
  );
}

const MONTHS = 24;
const LATEST = 4;
const names = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const monthName = (month: string): string => names.format(new Date(`${month}-01`));

function Months({ month, current }: { month: string; current: string }) {
  const links = Array.from({ length: MONTHS }, (_, before) => {
    const one = monthAfter(current, -before);
    const href = `${officePaths.bookkeeping}?month=${one}`;
    return { href, current: one === month ? ('page' as const) : undefined, text: monthName(one) };
  });
  const isLatest = links.slice(0, LATEST).some((link) => link.current);
  return (
    <div>
      <LinkList name="Months" links={links.slice(0, LATEST)} />
      <details open={!isLatest}>
        <summary>Earlier months</summary>
        <LinkList name="Earlier months" links={links.slice(LATEST)} />
      </details>
    </div>
  );
}

const amounts = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 });

/** With two digits, so that the points of a column stand below each other. */
const dollars = (cents: number): string => amounts.format(cents / 100);

function cellOf(row: BookRow, of: BookColumn[1]) {
  const value = row[of];
  if (of === 'name') return <PersonLink id={row.registration} name={row.name} />;
  return typeof value === 'number' ? dollars(value) : value;
}

const TOTALS: readonly Column<Total>[] = [
  ['What', ({ name }) => name],
  ['Number', ({ count }) => count, 'sum'],
  ...SUMS.map(([heading, of]): Column<Total> => [heading, (total) => dollars(total[of]), 'sum']),
];

const Totals = ({ caption, rows }: { caption: string; rows: readonly Total[] }) => (
  <BookTable caption={caption} className="table--narrow" columns={TOTALS} rows={rows} />
);

/** Scrolls where it is wider than the screen, also with the keyboard. */
const BookTable = <Row,>({
  className = '',
  ...table
}: Parameters<typeof DataTable<Row>>[0] & { caption: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section className="book" aria-label={table.caption} tabIndex={0}>
    <DataTable {...table} className={`table ${className}`} />
  </section>
);
