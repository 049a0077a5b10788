import { addDays, countInWords, formatBreakableDate, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import type { BalanceTiming } from '#shared/page.ts';
import type { Facts } from './edition.ts';

type Priced = Pick<Facts, 'prices'>;

function priceByCard({ prices }: Priced): string {
  return `By card ${formatCents(prices.byCardCents)} in all`;
}

export function wholePrice({ prices }: Priced): string {
  const byCheckCents = prices.depositBeforeFeeCents + prices.balanceBeforeFeeCents;
  return prices.byCardCents === byCheckCents
    ? `In all ${formatCents(prices.byCardCents)}, by card or by check`
    : `${priceByCard({ prices })}; by check ${formatCents(byCheckCents)}`;
}

export function afterDeposit(facts: Facts, timing: BalanceTiming = 'on-due-day'): string {
  return `The deposit is non-refundable. ${balanceFollows(facts, timing)}`;
}

/** What is asked after the deposit, in few words: `then $726.25 on December 21`. */
export function balanceInShort(
  { prices, balance, balanceDueDate }: Facts,
  timing: BalanceTiming = 'on-due-day',
): string {
  const when = {
    'on-due-day': `on ${formatMonthAndDay(balanceDueDate)}`,
    'days-after-deposit': `in ${countInWords(balance.lateDays)} days`,
    'asked-for': 'before the retreat',
  };
  return `then ${formatCents(prices.balanceCents)} ${when[timing]}`;
}

/** The last day on which a place can be handed over: an ISO date. Undefined where none ever can. */
export const lastHandOverDay = ({ handOverUntil }: Pick<Facts, 'handOverUntil'>) =>
  handOverUntil && addDays(handOverUntil.slice(0, 10), -1);

/** What eases the non-refundable deposit. A late deposit may come after the last day to hand a place over. */
export function reliefs(facts: Facts, timing: BalanceTiming = 'on-due-day'): string[] {
  const lastDay = timing === 'on-due-day' && lastHandOverDay(facts);
  return [
    'ask us for a payment plan or a partial scholarship',
    onWays(facts.prices, 'pay by check, without the card fee'),
    lastDay ? `hand your place over to somebody else until ${formatMonthAndDay(lastDay)}` : '',
    'take a cancellation back within a day',
  ].filter(Boolean);
}

function balanceFollows({ prices, balance, balanceDueDate }: Facts, timing: BalanceTiming): string {
  const sum = formatCents(prices.balanceCents);
  switch (timing) {
    case 'on-due-day':
      return `The balance of ${sum} is charged to the same card on ${formatBreakableDate(balanceDueDate)}.`;
    case 'days-after-deposit':
      return `The balance of ${sum} is charged to the same card ${countInWords(balance.lateDays)} days after the deposit.`;
    case 'asked-for':
      return `The retreat office will ask you for the balance of ${sum}.`;
  }
}
