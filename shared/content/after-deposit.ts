import { countInWords, formatBreakableDate, formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { BalanceTiming } from '#shared/page.ts';
import type { Edition, Facts, ScheduledSession, Timetable } from './edition.ts';
import { formatClockTime, formatLength, type OwnClock, onOwnClock } from './schedule.ts';
import { balanceOf } from './tuition.ts';

/**
 * What she pays, and when: each sum as text, with its label.
 * @param todayCents what the deposit charges
 */
export function sumsToPay(
  facts: Facts,
  todayCents: number,
  timing: BalanceTiming = 'on-due-day',
): readonly { title: string; text: string }[] {
  const { byCardCents: balanceCents } = balanceOf(facts);
  const sums = [
    ['Today', todayCents],
    [whenBalanceIsDue(facts, timing), balanceCents],
    ['In all', todayCents + balanceCents],
  ] as const;
  const due = balanceCents > 0 ? sums : sums.slice(0, 1);
  return due.map(([title, cents]) => ({ title, text: formatCents(cents) }));
}

function whenBalanceIsDue({ balance, balanceDueDate }: Facts, timing: BalanceTiming): string {
  switch (timing) {
    case 'on-due-day':
      return formatMonthAndDay(balanceDueDate);
    case 'days-after-deposit':
      return `In ${countInWords(balance.lateDays)} days`;
    case 'asked-for':
      return 'Soon, when we ask you';
  }
}

interface NextStep {
  date?: string;
  when: string;
  text: string;
}

export const completionCopy = {
  comeIn: (firstName: string) => `Come in, ${firstName}.`,
  mail: {
    queued: 'Your welcome e-mail, with your receipt, is on its way to',
    later:
      'Our e-mail is slow today, but your place is safe: your welcome e-mail, with your receipt, will come a little later to',
  },
  change: 'Change',
  changeWhat: 'your e-mail address',
  ownPage:
    'Your place has a page of its own, with your receipts and the sessions on your clock. The link in your welcome e-mail opens it at any time.',
  openOwnPage: 'Open your page',
  nextTitle: 'What happens next',
  addToCalendar: 'Add the sessions to your calendar',
  questions: 'If you have questions, write or call:',
  registerAnother: 'Register another person',
} as const;

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

function balanceStep(facts: Facts, timing: BalanceTiming): NextStep {
  const sum = formatCents(facts.prices.balanceCents);
  const text = `The balance of ${sum} is charged to the same card. You need not do anything for it.`;
  switch (timing) {
    case 'on-due-day':
      return step(facts.balanceDueDate, text);
    case 'days-after-deposit':
      return { when: whenBalanceIsDue(facts, timing), text };
    case 'asked-for':
      return { when: 'Soon', text: `The retreat office will ask you for the balance of ${sum}.` };
  }
}

function step(moment: string, text: string): NextStep {
  const date = moment.slice(0, 10);
  return { date, when: `${formatWeekday(date)}, ${formatBreakableDate(date)}`, text };
}

function hours(session: ScheduledSession, { timeZone }: Timetable, own?: OwnClock): string {
  const { start, minutes } = session;
  const ownClock = own ? onOwnClock(session, timeZone, own) : '';
  return `${formatClockTime(start.slice(11), timeZone)}${ownClock}, ${formatLength(minutes)}`;
}
