import {
  bookkeepingCsv,
  bookZone,
  comparedWithStripe,
  dayOfRow,
  payoutDay,
  plainDollars,
  tellBookkeeping,
  totalsByWay,
  verdictOn,
} from '#server/acts/bookkeeping.ts';
import { month } from '#server/acts/given.ts';
import type { Bookkeeping, BookRow, Total } from '#server/payments/bookkeeping.ts';
import { command, flag } from './command.ts';
import { table } from './printable.ts';

/** The command that prints the money that moved in a month. */
export const bookkeepingCommand = command({
  name: 'bookkeeping',
  words: { MONTH: month },
  options: { csv: flag },
  shownOptions: '[--csv]',
  help: [
    'Prints each payment, refund, dispute and check of a month, such as 2027-03, with Stripe’s fees and payouts, and how they',
    `add up to all transactions of the Stripe account. Months are ${bookZone.name}. --csv prints the rows for a spreadsheet.`,
  ],
  run: (given) => async (context) => {
    const books = await tellBookkeeping(await context.openRecord(), given.MONTH);
    return given.csv ? bookkeepingCsv(books).trimEnd() : textOf(books);
  },
});

const SUMS = ['GROSS', 'FEE ASKED', 'STRIPE FEE', 'NET'];
const sumsOf = ({ grossCents, feeAskedCents = 0, stripeFeeCents, netCents }: BookRow | Total): string[] =>
  [grossCents, feeAskedCents, stripeFeeCents, netCents].map(plainDollars);

function textOf(books: Bookkeeping): string {
  const rows = books.rows.map((row) => [
    dayOfRow(row),
    row.registration,
    row.what,
    row.way,
    ...sumsOf(row),
    row.payout?.id ?? '',
    payoutDay(row),
    row.billedTo ?? '',
    row.tax ? plainDollars(row.tax.cents) : '',
  ]);
  const totals = [totalsByWay(books), comparedWithStripe(books)].map((lines) =>
    table([
      ['', 'NUMBER', ...SUMS],
      ...lines.map((total) => [total.name, String(total.count), ...sumsOf(total)]),
    ]),
  );
  const head = ['DAY', 'REGISTRATION', 'WHAT', 'WAY', ...SUMS, 'PAYOUT', '', 'BILLED TO', 'TAX'];
  return [table([head, ...rows]), ...totals, verdictOn(books).join('\n')].join('\n\n');
}
