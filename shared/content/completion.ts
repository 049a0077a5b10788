import { formatCents } from '#shared/money.ts';
import { BALANCE_CENTS } from '#shared/retreat-package.ts';
import { edition, formatDate, formatMonthAndDay, formatWeekday } from './edition.ts';
import { formatClockTime, formatLength, type ScheduledSession, scheduledSessions } from './schedule.ts';
import { linkDates, type OwnClock, onOwnClock, testSession } from './way-in.ts';

/** Something that follows a paid registration. */
export interface NextStep {
  /** ISO date. */
  date: string;
  /** The date for people. */
  when: string;
  text: string;
}

/** The words of the completion view besides the specification's (R2.7). */
export const completionCopy = {
  nextTitle: 'What happens next',
  addToCalendar: 'Add the sessions to your calendar',
  questions: 'If you have questions, write or call:',
} as const;

/** What follows a paid registration, in its order, on the retreat's clock and on hers where that is another. */
export const nextSteps = (own?: OwnClock): readonly NextStep[] => [
  step(
    edition.balanceDueDate,
    `The balance of ${formatCents(BALANCE_CENTS)} is charged to the same card. You need not do anything for it.`,
  ),
  step(
    testSession.start,
    `The test session, ${hours(testSession, own)}. Its link comes by e-mail on ${formatMonthAndDay(linkDates.testSession)}.`,
  ),
  step(
    linkDates.retreat,
    'Your link to the retreat comes by e-mail. It comes again each morning, so you need not look for it.',
  ),
  ...scheduledSessions
    .slice(0, 1)
    .map((first) => step(first.start, `We begin: ${first.title}, ${hours(first, own)}.`)),
];

function step(moment: string, text: string): NextStep {
  const date = moment.slice(0, 10);
  return { date, when: `${formatWeekday(date)}, ${formatDate(date)}`, text };
}

function hours(session: ScheduledSession, own?: OwnClock): string {
  const { start, minutes } = session;
  return `${formatClockTime(start.slice(11))}${own ? onOwnClock(session, own) : ''}, ${formatLength(minutes)}`;
}
