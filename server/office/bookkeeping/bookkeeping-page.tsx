import type { ReactNode } from 'react';
import {
  bookZone,
  comparedWithStripe,
  dayOfRow,
  monthAfter,
  payoutDay,
  plainDollars,
  totalsByWay,
  verdictOn,
} from '#server/acts/bookkeeping.ts';
import { officePaths } from '#server/office/paths.ts';
import type { Bookkeeping, BookRow, Total } from '#server/payments/bookkeeping.ts';

interface BookkeepingView {
  /** Such as `2027-03`. */
  month: string;
  /** The month of the present moment. */
  current: string;
  books: Bookkeeping;
}

const nameOfMonth = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2027-03` -> `March 2027`. */
export const monthName = (month: string): string => nameOfMonth.format(new Date(`${month}-01`));

/** The money that moved in a month: its sums, how they add up to what Stripe has, and each row. */
export function BookkeepingPage({ month, current, books }: BookkeepingView) {
  const { rows } = books;
  return (
    <>
      <Months month={month} current={current} />
      <p className="office-edition">
        {`Days and months are ${bookZone.name}, as the office writes down checks. To compare this month with a report of Stripe’s dashboard, choose the time zone of your account there, and not UTC.`}
        {month === current && ' The month is not over: this is what has moved so far.'}
      </p>
      <section aria-labelledby="sums">
        <h2 id="sums">Sums</h2>
        <Totals caption="This site’s money, by the way it went" totals={totalsByWay(books)} withFeeAsked />
      </section>
      <section aria-labelledby="stripe">
        <h2 id="stripe">Compared with Stripe</h2>
        <Totals caption="All transactions of the Stripe account" totals={comparedWithStripe(books)} />
        {verdictOn(books).map((sentence) => (
          <p key={sentence} className="book-verdict">
            {sentence}
          </p>
        ))}
      </section>
      <section aria-labelledby="rows">
        <h2 id="rows">Each payment and refund</h2>
        {rows.length === 0 ? <p>No money moved in this month.</p> : <Rows rows={rows} month={month} />}
      </section>
    </>
  );
}

/** How many months the page leads to. */
const MONTHS_SHOWN = 12;

/** The way to other months: to the last year, and from an earlier month to those around it. */
export function Months({ month, current }: Pick<BookkeepingView, 'month' | 'current'>) {
  const around = monthAfter(month, MONTHS_SHOWN / 2);
  const last = around < current ? around : current;
  const months = Array.from({ length: MONTHS_SHOWN }, (_, before) => monthAfter(last, -before));
  return (
    <nav aria-label="Months" className="office-links">
      <ul className="office-links-list">
        {months.map((one) => (
          <li key={one}>
            <a
              href={`${officePaths.bookkeeping}?month=${one}`}
              aria-current={one === month ? 'page' : undefined}
            >
              {monthName(one)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const numbers = new Intl.NumberFormat('en-US');

interface TotalsProps {
  caption: string;
  /** The last one is the sum of the others. */
  totals: readonly Total[];
  withFeeAsked?: true;
}

function Totals({ caption, totals, withFeeAsked }: TotalsProps) {
  return (
    <ScrollBox name={caption}>
      <table className="office-table book-table book-table--sums">
        <caption>{caption}, in US dollars</caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Number</th>
            <th scope="col">Gross</th>
            {withFeeAsked && <th scope="col">Card fee asked</th>}
            <th scope="col">Stripe’s fee</th>
            <th scope="col">Net</th>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ name, count, grossCents, feeAskedCents, stripeFeeCents, netCents }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{numbers.format(count)}</td>
              <td>{plainDollars(grossCents)}</td>
              {withFeeAsked && <td>{plainDollars(feeAskedCents)}</td>}
              <td>{plainDollars(stripeFeeCents)}</td>
              <td>{plainDollars(netCents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
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

/** The columns of the rows, with the class of their cells. */
const COLUMNS: readonly (readonly [
  heading: string,
  className: string,
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
  ['What', '', ({ what }) => what],
  ['Way', '', ({ way }) => way],
  ['Gross', 'book-sum', ({ grossCents }) => plainDollars(grossCents)],
  [
    'Card fee asked',
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
  ['Country', '', ({ country }) => country],
  ['At Stripe', 'book-ids', ({ stripeId }) => <span className="office-fine">{stripeId}</span>],
];

function Rows({ rows, month }: { rows: readonly BookRow[]; month: string }) {
  return (
    <>
      <p>
        <a className="office-more" href={`${officePaths.bookkeepingCsv}?month=${month}`}>
          {rows.length === 1 ? 'This row' : `These ${numbers.format(rows.length)} rows`} for a spreadsheet
          (CSV)
        </a>
      </p>
      <ScrollBox name="Each payment and refund">
        <table className="office-table book-table">
          <caption>The oldest first, in US dollars</caption>
          <thead>
            <tr>
              {COLUMNS.map(([heading, className]) => (
                <th key={heading} scope="col" className={className}>
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rendered once, and two rows may be the same
              <tr key={index}>
                {COLUMNS.map(([heading, className, cellOf]) => {
                  const Cell = heading === 'Who' ? 'th' : 'td';
                  return (
                    <Cell key={heading} className={className} scope={Cell === 'th' ? 'row' : undefined}>
                      {cellOf(row)}
                    </Cell>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}
