import { addDays, countInWords, formatDate, formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { formatCents, formatDollars, onWays } from '#shared/money.ts';
import type { BalanceTiming } from '#shared/page.ts';
import type { Edition, Facts, ScheduledSession, Timetable } from './edition.ts';
import { formatClockTime, formatLength, type OwnClock, onOwnClock } from './schedule.ts';

type Priced = Pick<Facts, 'prices'>;

/** The whole price by card, in few words. */
function priceByCard({ prices }: Priced): string {
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
    onWays(
      facts.prices,
      'pay by check, without the card fee',
      (percent) => `pay by check, which is ${percent} less`,
    ),
    lastDay ? `hand your place over to somebody else until ${formatMonthAndDay(lastDay)}` : '',
    'take a cancellation back within a day',
  ].filter(Boolean);
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

/** A next step after a paid registration. */
export interface NextStep {
  /** ISO date; absent if the step has no fixed date. */
  date?: string;
  /** The date or time as text for people. */
  when: string;
  text: string;
}

/** Texts of the completion view beyond those of the specification (R2.7). */
export const completionCopy = {
  ownPage:
    'Your place has a page of its own, with your receipts and the sessions on your clock. The link in your letter of welcome opens it at any time.',
  openOwnPage: 'Open your page',
  nextTitle: 'What happens next',
  addToCalendar: 'Add the sessions to your calendar',
  questions: 'If you have questions, write or call:',
} as const;

/** The steps after a paid registration, in order; hours in the retreat's and, if different, her time zone. */
export function nextSteps(
  { facts, timetable }: Pick<Edition, 'facts' | 'timetable'>,
  own?: OwnClock,
  timing: BalanceTiming = 'on-due-day',
): readonly NextStep[] {
  const { testSession, linkDates, sessions } = timetable;
  return [
    balanceStep(facts, timing),
    step(
      testSession.start,
      `The test session, ${hours(testSession, timetable, own)}. Its link is sent to you on ${formatMonthAndDay(linkDates.testSession)}.`,
    ),
    step(
      linkDates.retreat,
      'Your link to the retreat is sent to you. It comes again each morning, so you need not look for it.',
    ),
    ...sessions
      .slice(0, 1)
      .map((first) => step(first.start, `We begin: ${first.title}, ${hours(first, timetable, own)}.`)),
  ];
}

function balanceStep({ prices, balance, balanceDueDate }: Facts, timing: BalanceTiming): NextStep {
  const sum = formatCents(prices.balanceCents);
  const text = `The balance of ${sum} is charged to the same card. You need not do anything for it.`;
  switch (timing) {
    case 'on-due-day':
      return step(balanceDueDate, text);
    case 'days-after-deposit':
      return { when: `In ${countInWords(balance.lateDays)} days`, text };
    case 'asked-for':
      return { when: 'Soon', text: `The retreat office will ask you for the balance of ${sum}.` };
  }
}

function step(moment: string, text: string): NextStep {
  const date = moment.slice(0, 10);
  return { date, when: `${formatWeekday(date)}, ${formatDate(date)}`, text };
}

function hours(session: ScheduledSession, { timeZone }: Timetable, own?: OwnClock): string {
  const { start, minutes } = session;
  const ownClock = own ? onOwnClock(session, timeZone, own) : '';
  return `${formatClockTime(start.slice(11), timeZone)}${ownClock}, ${formatLength(minutes)}`;
}
