import type { IRouter, Request, Response } from 'express';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import {
  bookkeepingCsv,
  bookZone,
  comparedWithStripe,
  dayOfRow,
  knownUntil,
  monthAfter,
  monthOf,
  payoutDay,
  payoutId,
  plainDollars,
  tellBookkeeping,
  totalsByWay,
  verdictOn,
} from '#server/acts/bookkeeping.ts';
import type { Bookkeeping, BookRow, Total } from '#server/acts/read-bookkeeping.ts';
import { month as givenMonth } from '#server/office/commands/inputs.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { DataTable, LinkList, MoreLine, pageSender, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';

interface BookkeepingDependencies extends Pick<OfficeDependencies, 'database' | 'now'> {
  assets: Pick<OfficeDependencies['assets'], 'officeStyle'>;
}

/** The money that moved in a month, as a page and as a spreadsheet. */
export function addBookkeepingPages(
  router: IRouter,
  { assets, database, now }: BookkeepingDependencies,
): void {
  const send = pageSender(assets);
  /** The month of the URL, with what moved in it. */
  const read = async (req: Request, res: Response): Promise<BookkeepingView> => {
    const current = monthOf(now());
    const { month } = v.parse(v.object({ month: v.fallback(givenMonth, current) }), req.query);
    const books = await tellBookkeeping({ database }, month);
    noteShown(res, { rows: books.rows.length });
    return { month, current, books };
  };
  router.get(officePaths.bookkeeping, async (req, res) => {
    const view = await read(req, res);
    send(res, 200, `Bookkeeping: ${monthName(view.month)}`, <BookkeepingPage {...view} />);
  });
  router.get(officePaths.bookkeepingCsv, async (req, res) => {
    const { month, books } = await read(req, res);
    res.set('Cache-Control', 'no-store').attachment(`bookkeeping-${month}.csv`);
    res.type('text/csv; charset=utf-8').send(bookkeepingCsv(books));
  });
}

interface BookkeepingView {
  /** Such as `2027-03`. */
  month: string;
  /** The month of the present moment. */
  current: string;
  books: Bookkeeping;
}

const nameOfMonth = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2027-03` -> `March 2027`. */
const monthName = (month: string): string => nameOfMonth.format(new Date(`${month}-01`));

/** The money that moved in a month: its sums, how they add up to what Stripe has, and each row. */
function BookkeepingPage({ month, current, books }: BookkeepingView) {
  const { rows } = books;
  return (
    <>
      <Months month={month} current={current} />
      <p className="office-edition">
        {`Days and months are ${bookZone.name}, as the office writes down checks. To compare this month with a report of Stripe’s dashboard, choose the time zone of your account there, and not UTC.`}
        {month === current && ' The month is not over: this is what has moved so far.'}
        {` ${knownUntil(books)}`}
      </p>
      <Section id="sums" title="Sums">
        <Totals
          caption="This site’s money, by the way it went"
          totals={totalsByWay(books)}
          withFeeAsked={isFeeAsked(rows)}
        />
      </Section>
      <Section id="stripe" title="Compared with Stripe">
        <Totals caption="All transactions of the Stripe account" totals={comparedWithStripe(books)} />
        {verdictOn(books).map((sentence) => (
          <p key={sentence} className="book-verdict">
            {sentence}
          </p>
        ))}
      </Section>
      <Section id="rows" title="Each payment and refund">
        {rows.length === 0 ? <p>No money moved in this month.</p> : <Rows rows={rows} month={month} />}
      </Section>
    </>
  );
}

/** How many months the page leads to. */
const MONTHS_SHOWN = 12;

/** The way to other months: to the last year, and from an earlier month to those around it. */
function Months({ month, current }: Pick<BookkeepingView, 'month' | 'current'>) {
  const around = monthAfter(month, MONTHS_SHOWN / 2);
  const last = around < current ? around : current;
  const months = Array.from({ length: MONTHS_SHOWN }, (_, before) => monthAfter(last, -before));
  const links = months.map((one) => ({
    href: `${officePaths.bookkeeping}?month=${one}`,
    current: one === month ? ('page' as const) : undefined,
    text: monthName(one),
  }));
  return <LinkList name="Months" links={links} />;
}

const numbers = new Intl.NumberFormat('en-US');

interface TotalsProps {
  caption: string;
  /** The last one is the sum of the others. */
  totals: readonly Total[];
  withFeeAsked?: boolean;
}

function Totals({ caption, totals, withFeeAsked }: TotalsProps) {
  const ifAsked = <Cell,>(cell: Cell): Cell[] => (withFeeAsked ? [cell] : []);
  return (
    <ScrollBox name={caption}>
      <DataTable
        className="office-table book-table book-table--sums"
        caption={`${caption}, in US dollars`}
        head={['What', 'Number', 'Gross', ...ifAsked(FEE_ASKED), 'Stripe’s fee', 'Net']}
        rows={totals.map(({ name, count, grossCents, feeAskedCents, stripeFeeCents, netCents }) => [
          name,
          numbers.format(count),
          plainDollars(grossCents),
          ...ifAsked(plainDollars(feeAskedCents)),
          plainDollars(stripeFeeCents),
          plainDollars(netCents),
        ])}
      />
    </ScrollBox>
  );
}

/** Scrolls a table that is wider than the screen, also with the keyboard. */
function ScrollBox({ name, children }: { name: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="book-scroll" aria-label={name} tabIndex={0}>
      {children}
    </section>
  );
}

const FEE_ASKED = 'Card fee asked';

const isFeeAsked = (rows: readonly BookRow[]): boolean =>
  rows.some(({ feeAskedCents = 0 }) => feeAskedCents > 0);

/** The columns of the rows, with the class of their cells. */
const COLUMNS: readonly (readonly [
  heading: string,
  className: string | undefined,
  cellOf: (row: BookRow) => ReactNode,
])[] = [
  ['Day', 'book-day', dayOfRow],
  [
    'Who',
    'book-who',
    ({ name, registration, edition }) => (
      <>
        <a href={officePaths.registration(registration)}>{name === '' ? 'Forgotten' : name}</a>
        <span className="office-fine">{edition}</span>
        <span className="office-fine">{registration}</span>
      </>
    ),
  ],
  ['What', undefined, ({ what }) => what],
  ['Way', undefined, ({ way }) => way],
  ['Gross', 'book-sum', ({ grossCents }) => plainDollars(grossCents)],
  [
    FEE_ASKED,
    'book-sum',
    ({ feeAskedCents }) => (feeAskedCents === undefined ? '' : plainDollars(feeAskedCents)),
  ],
  ['Stripe’s fee', 'book-sum', ({ stripeFeeCents, way }) => way === 'card' && plainDollars(stripeFeeCents)],
  ['Net', 'book-sum', ({ netCents }) => plainDollars(netCents)],
  [
    'Payout',
    'book-ids',
    (row) => (
      <>
        {payoutDay(row) || (row.way === 'card' && 'not yet')}
        <span className="office-fine">{payoutId(row)}</span>
      </>
    ),
  ],
  ['Country', undefined, ({ country }) => country],
  ['At Stripe', 'book-ids', ({ stripeId }) => <span className="office-fine">{stripeId}</span>],
];

function Rows({ rows, month }: { rows: readonly BookRow[]; month: string }) {
  const columns = COLUMNS.filter(([heading]) => heading !== FEE_ASKED || isFeeAsked(rows));
  return (
    <>
      <MoreLine to={`${officePaths.bookkeepingCsv}?month=${month}`}>
        {rows.length === 1 ? 'This row' : `These ${numbers.format(rows.length)} rows`} for a spreadsheet (CSV)
      </MoreLine>
      <ScrollBox name="Each payment and refund">
        <DataTable
          className="office-table book-table"
          caption="The oldest first, in US dollars"
          head={columns.map(([heading]) => heading)}
          rows={rows.map((row) => columns.map(([, , cellOf]) => cellOf(row)))}
          classes={columns.map(([, className]) => className)}
          named={columns.findIndex(([heading]) => heading === 'Who')}
        />
      </ScrollBox>
    </>
  );
}
