import type { IRouter, Request, Response } from 'express';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import {
  bookkeepingCsv,
  bookZone,
  comparedWithStripe,
  dayOfRow,
  monthAfter,
  monthOf,
  payoutDay,
  plainDollars,
  tellBookkeeping,
  totalsByWay,
  verdictOn,
} from '#server/acts/bookkeeping.ts';
import { month as givenMonth } from '#server/acts/given.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { DataTable, LinkList, MoreLine, pageSender, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { withTimeout } from '#server/service/work.ts';
import { TOO_MANY_TRANSACTIONS } from '#server/stripe/account-transactions.ts';
import type { Bookkeeping, BookRow, Total } from '#server/stripe/bookkeeping.ts';

/** The whole answer stays below the minute for which proxies wait. */
const TIMEOUT_MS = 45_000;

const AWAY =
  'Stripe or the site’s register cannot be read now, and a part of the sums would be worse than none. Nothing is lost. Please load this page again in a few minutes. If that does not help, the site’s key may lack the permission to read balance transaction sources and payouts: please tell the person who looks after the site.';

interface BookkeepingDependencies extends Pick<OfficeDependencies, 'logger' | 'now'> {
  assets: Pick<OfficeDependencies['assets'], 'officeStyle'>;
  payments: Pick<OfficeDependencies['payments'], 'ask'>;
}

/** The money that moved in a month, as a page and as a spreadsheet. */
export function addBookkeepingPages(
  router: IRouter,
  { assets, payments, logger, now }: BookkeepingDependencies,
): void {
  const send = pageSender(assets);
  const titleOf = (month: string) => `Bookkeeping: ${monthName(month)}`;
  /** By month, what is being read: who loads a page again waits for that. */
  const running = new Map<string, Promise<Bookkeeping>>();
  const readOnce = (month: string): Promise<Bookkeeping> => {
    const reading =
      running.get(month) ?? tellBookkeeping(payments, month).finally(() => running.delete(month));
    running.set(month, reading);
    return reading;
  };
  /** The month of the URL, with what moved in it; if that cannot be read, sends an answer that says so. */
  const read = async (req: Request, res: Response) => {
    const current = monthOf(now());
    const { month } = v.parse(v.object({ month: v.fallback(givenMonth, current) }), req.query);
    try {
      const books = await withTimeout(readOnce(month), TIMEOUT_MS);
      noteShown(res, { rows: books.rows.length });
      return { month, current, books };
    } catch (error) {
      logger.warn({ err: causeOf(error), month }, 'The bookkeeping of a month cannot be read');
      const isTooLong = error instanceof AppError && error.code === TOO_MANY_TRANSACTIONS;
      const page = (
        <>
          <Months month={month} current={current} />
          <p role="alert">{isTooLong ? error.message : AWAY}</p>
        </>
      );
      send(res, 503, titleOf(month), page);
      return undefined;
    }
  };
  router.get(officePaths.bookkeeping, async (req, res) => {
    const found = await read(req, res);
    if (found) send(res, 200, titleOf(found.month), <BookkeepingPage {...found} />);
  });
  router.get(officePaths.bookkeepingCsv, async (req, res) => {
    const found = await read(req, res);
    if (!found) return;
    res.set('Cache-Control', 'no-store').attachment(`bookkeeping-${found.month}.csv`);
    res.type('text/csv; charset=utf-8').send(bookkeepingCsv(found.books));
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
        <span className="office-fine">{row.payout?.id}</span>
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
