import type { BalanceTiming } from '#shared/page.ts';
import type { BalanceTerms, Edition, Facts } from './edition.ts';

/** A point in time of an edition at which something happens, or a rule starts or stops to apply. */
export interface Moment {
  /** ISO, with UTC offset. */
  at: string;
  /** For the people who run the site. */
  name: string;
}

/** The moments of an edition, in their order. */
export function momentsOf({ facts, timetable, questions }: Edition): Moment[] {
  const { registration, balance } = facts;
  const { sessions, testSession, letters } = timetable;
  const all: readonly (readonly [at: string | undefined, name: string])[] = [
    [registration.opens, 'registration opens'],
    [balance.noticeAt, 'the balance is announced'],
    [balance.reminderAt, 'the reminder of the balance goes out'],
    [balance.chargeAt, 'the balance is charged'],
    [balance.refundsEndAt, 'too late to cancel for a refund'],
    [letters.testSession, 'the test session is announced'],
    [testSession.startsAt, 'the test session begins'],
    ...letters.wayIn.map(({ day, at }) => [at, `the way in goes out for ${day}`] as const),
    [questions?.remindAt, 'a letter reminds of the questions'],
    [questions?.editableUntil, 'the questions can no longer be answered'],
    [registration.closes, 'registration closes'],
    [sessions.at(0)?.startsAt, 'the retreat begins'],
    [facts.endsAt, 'the retreat is over'],
    [letters.recordings, 'the recordings are announced'],
  ];
  return all.flatMap(([at, name]) => (at === undefined ? [] : [{ at, name }])).sort(byTime);
}

const byTime = (one: Moment, other: Moment) => Date.parse(one.at) - Date.parse(other.at);

/** The first moment of the given editions after a point in time; undefined if all are past. */
export function nextMoment(editions: readonly Edition[], now: Date): Moment | undefined {
  return editions
    .flatMap(momentsOf)
    .filter(({ at }) => Date.parse(at) > now.getTime())
    .sort(byTime)
    .at(0);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The timing of the balance for a deposit paid at the given moment, as the terms say (R8). */
export function timingOfBalance(
  { balance, endsAt }: Pick<BalanceTerms, 'balance'> & Pick<Facts, 'endsAt'>,
  paidAt: Date,
): BalanceTiming {
  if (paidAt.getTime() <= Date.parse(balance.chargeAt) - balance.lateDays * DAY_MS) return 'on-due-day';
  return balanceDueAt({ balance }, paidAt) < new Date(endsAt) ? 'days-after-deposit' : 'asked-for';
}

/** When the balance is due for a deposit paid at the given moment. */
export function balanceDueAt({ balance }: Pick<BalanceTerms, 'balance'>, paidAt: Date): Date {
  const lateMs = balance.lateDays * DAY_MS;
  const chargeAt = Date.parse(balance.chargeAt);
  return new Date(paidAt.getTime() > chargeAt - lateMs ? paidAt.getTime() + lateMs : chargeAt);
}
