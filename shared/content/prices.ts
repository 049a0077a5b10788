import { countInWords, formatDate } from '#shared/dates.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import type { BalanceTiming } from '#shared/page.ts';
import type { Facts } from './edition.ts';

type Priced = Pick<Facts, 'prices'>;

/** The whole price by card, in few words. */
export function priceByCard({ prices }: Priced): string {
  return `By card ${formatCents(prices.byCardCents)} in all`;
}

/** The whole price, by card and by check. */
export function wholePrice({ prices }: Priced): string {
  return prices.byCardCents === prices.byCheckCents
    ? `In all ${formatCents(prices.byCardCents)}, by card or by check`
    : `${priceByCard({ prices })}; by check ${formatCents(prices.byCheckCents)}`;
}

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

/**
 * Warns where a price is struck through, since no edition asks its higher price from any moment on.
 * @returns undefined where no higher price is shown
 */
export function regularPriceWarning({ retreatPackage }: Pick<Facts, 'retreatPackage'>): string | undefined {
  const { oldPrice, total } = retreatPackage;
  if (oldPrice <= total) return undefined;
  return `The regular price of ${formatDollars(oldPrice)} is struck through beside ${formatDollars(total)}, and nobody is ever asked for it. A price that was not really asked is deceptive advertising (US 16 CFR 233.1; EU directive 2005/29, article 6(1)(d)): have it asked before, and keep proof, or have a lawyer decide.`;
}
