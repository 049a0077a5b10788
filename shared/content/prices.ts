import { formatDate } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { Facts } from './edition.ts';

type Priced = Pick<Facts, 'prices'>;

/** The whole price by card, for where there is little room. */
export function priceByCard({ prices }: Priced): string {
  return `By card ${formatCents(prices.byCardCents)} in all`;
}

/** The whole price, by the ways to pay it. */
export function wholePrice({ prices }: Priced): string {
  return `${priceByCard({ prices })}; by check ${formatCents(prices.byCheckCents)}`;
}

/** What follows the deposit. */
export function afterDeposit({ prices, balanceDueDate }: Pick<Facts, 'prices' | 'balanceDueDate'>): string {
  const balance = formatCents(prices.balanceCents);
  return `The deposit is non-refundable. The balance of ${balance} is charged to the same card on ${formatDate(balanceDueDate)}.`;
}
