import {
  addsUp,
  bookkeepingCsv,
  bookZone,
  comparedWithStripe,
  dayOfRow,
  payoutDay,
  type Total,
  tellBookkeeping,
  totalsByWay,
} from '#server/acts/bookkeeping.ts';
import { month } from '#server/acts/given.ts';
import type { Bookkeeping } from '#server/payments/bookkeeping.ts';
import { command, flag } from './command.ts';
import { table } from './printable.ts';

/** The command that prints the money that moved in a month. */
export const bookkeepingCommand = command({
  name: 'bookkeeping',
  words: { MONTH: month('MONTH needs') },
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

const dollars = (cents: number): string => (cents / 100).toFixed(2);

const HEADINGS = [
  'DAY',
  'REGISTRATION',
  'WHAT',
  'WAY',
  'GROSS',
  'FEE ASKED',
  'STRIPE FEE',
  'NET',
  'PAYOUT',
  '',
];

function textOf(books: Bookkeeping): string {
  const { rows, differences, otherCurrencies } = books;
  const lines = rows.map((row) => [
    ...[dayOfRow(row), row.registration, row.what, row.way, dollars(row.grossCents)],
    row.feeAskedCents === undefined ? '' : dollars(row.feeAskedCents),
    ...[dollars(row.stripeFeeCents), dollars(row.netCents), row.payout?.id ?? '', payoutDay(row)],
  ]);
  const differ = differences.map(
    ({ id, onRecordCents, atStripeCents }) =>
      `${id}: ${dollars(onRecordCents)} in the register, ${dollars(atStripeCents)} at Stripe.`,
  );
  return [
    rows.length > 0 ? table([HEADINGS, ...lines]) : 'No money moved in this month.',
    totalsTable(totalsByWay(books)),
    totalsTable(comparedWithStripe(books).map((total) => ({ ...total, feeAskedCents: undefined }))),
    [
      addsUp(books)
        ? 'It adds up to the cent.'
        : 'It does not add up: tell the person who looks after the site.',
      ...otherCurrencies.map(
        ({ currency, count }) => `In ${currency}, and in no sum: ${count} transactions.`,
      ),
      ...(differ.length > 0 ? differ : ['The register has the same payments and refunds for this month.']),
    ].join('\n'),
  ].join('\n\n');
}

/** Stripe does not know which fee was asked. */
function totalsTable(
  totals: readonly (Omit<Total, 'feeAskedCents'> & { feeAskedCents?: number | undefined })[],
) {
  const lines = totals.map(({ name, count, grossCents, feeAskedCents, stripeFeeCents, netCents }) => [
    ...[name, String(count), dollars(grossCents), feeAskedCents === undefined ? '' : dollars(feeAskedCents)],
    ...[dollars(stripeFeeCents), dollars(netCents)],
  ]);
  return table([['SUMS', 'NUMBER', 'GROSS', 'FEE ASKED', 'STRIPE FEE', 'NET'], ...lines]);
}
