import type { ReactNode } from 'react';
import {
  addsUp,
  bookZone,
  comparedWithStripe,
  dayOfRow,
  monthAfter,
  payoutDay,
  type Total,
  totalsByWay,
} from '#server/acts/bookkeeping.ts';
import { officePaths } from '#server/office/paths.ts';
import type { Bookkeeping, BookRow } from '#server/payments/bookkeeping.ts';

interface BookkeepingView {
  /** Such as `2026-01`. */
  month: string;
  /** The month of the present moment. */
  current: string;
  books: Bookkeeping;
}

const nameOfMonth = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2026-01` -> `January 2026`. */
export const monthName = (month: string): string => nameOfMonth.format(new Date(`${month}-01`));

/** The money that moved in a month: its sums, how they add up to what Stripe has, and each row. */
export function BookkeepingPage({ month, current, books }: BookkeepingView) {
  const { rows, otherCurrencies, differences } = books;
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
        <p>
          {addsUp(books)
            ? 'The rows below and what is not this site’s add up to all of it, to the cent.'
            : 'The rows below and what is not this site’s do not add up to all of it. Please tell the person who looks after the site.'}
          {otherCurrencies.map(
            ({ currency, count }) =>
              ` Transactions in ${currency}, which are in no sum here: ${numbers.format(count)}.`,
          )}
        </p>
        {differences.length === 0 ? (
          <p>The register has the same payments and refunds for this month, to the cent.</p>
        ) : (
          <>
            <p>
              The register and Stripe have different sums for these. A payment in the first or last seconds of
              a month may be in another month at Stripe, a refund that waits has no transaction yet, and what
              happened in the last quarter of an hour may not be in the register yet.
            </p>
            <ul>
              {differences.map(({ id, onRecordCents, atStripeCents }) => (
                <li key={id}>
                  <span className="book-id">{id}</span>:{' '}
                  {`${dollars(onRecordCents)} in the register, ${dollars(atStripeCents)} at Stripe`}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      <section aria-labelledby="rows">
        <h2 id="rows">Each payment and refund</h2>
        {rows.length === 0 ? <p>No money moved in this month.</p> : <Rows rows={rows} month={month} />}
      </section>
    </>
  );
}

/** The way to other months. */
export function Months({ month, current }: Pick<BookkeepingView, 'month' | 'current'>) {
  const [before, after] = [monthAfter(month, -1), monthAfter(month, 1)];
  const pathOf = (of: string) => `${officePaths.bookkeeping}?month=${of}`;
  return (
    <nav aria-label="Months" className="book-months">
      <a rel="prev" href={pathOf(before)}>
        {monthName(before)}
      </a>
      {month < current && (
        <a rel="next" href={pathOf(after)}>
          {monthName(after)}
        </a>
      )}
      <form method="get" action={officePaths.bookkeeping} className="office-search">
        <label htmlFor="month">Another month, such as {current}</label>
        <input
          id="month"
          name="month"
          type="text"
          inputMode="numeric"
          required
          pattern="20[0-9][0-9]-(0[1-9]|1[0-2])"
          defaultValue={month}
          autoComplete="off"
        />
        <button type="submit" className="button button--quiet">
          Show
        </button>
      </form>
    </nav>
  );
}

/** Why there is nothing to be shown: half a month would be worse than none. */
export function NotThere({ why }: { why?: string | undefined }) {
  return (
    <p role="alert">
      {why ??
        'Stripe or the site’s register cannot be read now, and a part of the sums would be worse than none. Nothing is lost. Please load this page again in a few minutes. If that does not help, the key of the site may lack the permission to read Balance and Payouts: please tell the person who looks after the site.'}
    </p>
  );
}

const numbers = new Intl.NumberFormat('en-US');
const amounts = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 });

/** Plain dollars with two digits, so that the points of a column stand below each other; a true minus. */
const dollars = (cents: number): string => amounts.format(cents / 100).replace('-', '−');

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
            <th scope="col">
              <span className="visually-hidden">What</span>
            </th>
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
              <td>{dollars(grossCents)}</td>
              {withFeeAsked && <td>{dollars(feeAskedCents)}</td>}
              <td>{dollars(stripeFeeCents)}</td>
              <td>{dollars(netCents)}</td>
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
              <th scope="col">Day</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">Way</th>
              <th scope="col" className="book-sum">
                Gross
              </th>
              <th scope="col" className="book-sum">
                Card fee asked
              </th>
              <th scope="col" className="book-sum">
                Stripe’s fee
              </th>
              <th scope="col" className="book-sum">
                Net
              </th>
              <th scope="col">Payout</th>
              <th scope="col">Country</th>
              <th scope="col">At Stripe</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // Two rows may be the same but for their place.
              // biome-ignore lint/suspicious/noArrayIndexKey: rendered once, on the server
              <Row key={index} row={row} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}

function Row({ row }: { row: BookRow }) {
  const { name, registration, edition, what, way, payout, country, stripeId } = row;
  const { grossCents, feeAskedCents, stripeFeeCents, netCents } = row;
  const isByCard = way === 'card';
  return (
    <tr>
      <td className="book-day">{dayOfRow(row)}</td>
      <th scope="row" className="book-who">
        <a href={officePaths.registration(registration)}>{name === '' ? 'Forgotten' : name}</a>
        <span className="office-fine">{edition}</span>
        <span className="office-fine book-id">{registration}</span>
      </th>
      <td>{what}</td>
      <td>{way}</td>
      <td className="book-sum">{dollars(grossCents)}</td>
      <td className="book-sum">{feeAskedCents === undefined ? '' : dollars(feeAskedCents)}</td>
      <td className="book-sum">{isByCard ? dollars(stripeFeeCents) : ''}</td>
      <td className="book-sum">{dollars(netCents)}</td>
      <td className="book-ids">
        {payoutDay(row) || (isByCard ? 'not yet' : '')}
        {payout && <span className="office-fine book-id">{payout.id}</span>}
      </td>
      <td>{country}</td>
      <td className="book-ids book-id">{stripeId}</td>
    </tr>
  );
}
