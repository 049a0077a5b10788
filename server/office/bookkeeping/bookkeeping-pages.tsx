import type { IRouter, Request, Response } from 'express';
import type { ComponentProps, ReactNode } from 'react';
import * as v from 'valibot';
import { month as monthSchema } from '#server/office/commands/inputs.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender } from '#server/office/office-document.tsx';
import { DataTable, LinkList, MoreLine, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { COLUMNS, compareWithStripe, csvOf, SUMS, type Total, totalsByWay } from './books.ts';
import { bookZone, minuteOf, monthAfter, monthName, monthOf } from './months.ts';
import { type BookMonth, type BookRow, readMonth } from './read-month.ts';

type Dependencies = Pick<OfficeDependencies, 'assets' | 'database' | 'now'>;

/** The money that moved in a month, as a page and as a spreadsheet. */
export function addBookkeepingPages(router: IRouter, { assets, database, now }: Dependencies): void {
  const send = pageSender(assets);
  const read = async (req: Request, res: Response) => {
    const month = v.parse(v.fallback(monthSchema, monthOf(now())), req.query.month);
    const books = await readMonth(database, month);
    noteShown(res, { rows: books.rows.length });
    return books;
  };
  router.get(officePaths.bookkeeping, async (req, res) => {
    const books = await read(req, res);
    const title = `Money: ${monthName(books.month)}`;
    send(res, 200, title, <BookkeepingPage books={books} current={monthOf(now())} />);
  });
  router.get(officePaths.bookkeepingCsv, async (req, res) => {
    const books = await read(req, res);
    res.set('Cache-Control', 'no-store').attachment(`bookkeeping-${books.month}.csv`);
    res.type('text/csv; charset=utf-8').send(csvOf(books));
  });
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
        <Totals caption="This site’s money, by the way it went" totals={totalsByWay(books)} />
      </Section>
      <Section id="stripe" title="Compared with Stripe">
        <Totals caption="All transactions of the Stripe account" totals={totals} />
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
        <MoreLine to={`${officePaths.bookkeepingCsv}?month=${month}`}>For a spreadsheet (CSV)</MoreLine>
        <BookTable
          caption="The oldest first"
          head={COLUMNS.map(([heading]) => heading)}
          rows={rows.map((row) => COLUMNS.map(([, of]) => cellOf(row, of)))}
          classes={COLUMNS.map(([, , className]) => className)}
          named={COLUMNS.findIndex(([, of]) => of === 'name')}
        />
      </Section>
    </>
  );
}

const MONTHS = 24;
/** Those that are asked for most. */
const LATEST = 4;

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

function cellOf(row: BookRow, of: (typeof COLUMNS)[number][1]): ReactNode {
  const value = row[of];
  if (of === 'name') return <a href={officePaths.registration(row.registration)}>{value || 'Forgotten'}</a>;
  return typeof value === 'number' ? dollars(value) : value;
}

const Totals = ({ caption, totals }: { caption: string; totals: readonly Total[] }) => (
  <BookTable
    caption={caption}
    className="book-table--sums"
    head={['What', 'Number', ...SUMS.map(([heading]) => heading)]}
    rows={totals.map((total) => [total.name, total.count, ...SUMS.map(([, of]) => dollars(total[of]))])}
  />
);

/** Scrolls where it is wider than the screen, also with the keyboard. */
const BookTable = ({ className = '', ...table }: ComponentProps<typeof DataTable> & { caption: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section className="book-scroll" aria-label={table.caption} tabIndex={0}>
    <DataTable {...table} className={`table book-table ${className}`} />
  </section>
);
