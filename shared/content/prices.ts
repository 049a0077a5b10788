import { countInWords, formatDate } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { BalanceTiming } from '#shared/page.ts';
import type { Facts } from './edition.ts';

type Priced = Pick<Facts, 'prices'>;

/** The whole price by card, in few words. */
export function priceByCard({ prices }: Priced): string {
  return `By card ${formatCents(prices.byCardCents)} in all`;
}

/** The whole price, by card and by check. */
export function wholePrice({ prices }: Priced): string {
  return `${priceByCard({ prices })}; by check ${formatCents(prices.byCheckCents)}`;
}

/** What follows a deposit that is paid now. */
export function afterDeposit(facts: Facts, timing: BalanceTiming = 'on-due-day'): string {
  return `The deposit is non-refundable. ${balanceFollows(facts, timing)}`;
}

function balanceFollows({ prices, balance, balanceDueDate }: Facts, timing: BalanceTiming): string {
  const sum = formatCents(prices.balanceCents);
  switch (timing) {
    case 'on-due-day':
      return `The balance of ${sum} is charged to the same card on ${formatDate(balanceDueDate)}.`;
    case 'days-after-deposit':
      return `The balance of ${sum} is charged to the same card ${countInWords(balance.lateDays)} days after the deposit.`;
    case 'asked-for':
      return `The retreat office will ask you for the balance of ${sum}.`;
  }
}
