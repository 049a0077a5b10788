import { formatDate, formatWeekday } from '#shared/dates.ts';
import type { BalanceTiming } from '#shared/page.ts';
import { isKnownTimeZone, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import type { BalanceTerms, Edition, Facts, Timetable } from './edition.ts';

export interface Moment {
  /** ISO, with UTC offset. */
  at: string;
  name: string;
}

export function momentsOf({
  facts,
  timetable,
  questions,
}: Pick<Edition, 'facts' | 'timetable' | 'questions'>): Moment[] {
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
    [questions?.remindAt, 'a message reminds of the questions'],
    [questions?.editableUntil, 'the questions can no longer be answered'],
    [registration.closes, 'registration closes'],
    [sessions.at(0)?.startsAt, 'the retreat begins'],
    [facts.endsAt, 'the retreat is over'],
    [letters.recordings, 'the recordings are announced'],
  ];
  return all.flatMap(([at, name]) => (at === undefined ? [] : [{ at, name }])).sort(byTime);
}

const byTime = (one: Moment, other: Moment) => Date.parse(one.at) - Date.parse(other.at);

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

export function balanceDueAt({ balance }: Pick<BalanceTerms, 'balance'>, paidAt: Date): Date {
  const lateMs = balance.lateDays * DAY_MS;
  const chargeAt = Date.parse(balance.chargeAt);
  return new Date(paidAt.getTime() > chargeAt - lateMs ? paidAt.getTime() + lateMs : chargeAt);
}

export const registrationModes = ['open', 'closed', 'auto'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** How long after the close a registration that was begun before can still be paid. */
const GRACE_MS = 60 * 60 * 1000;

type Windowed = Pick<Facts, 'registration'>;

export function isRegistrationOpen({ registration }: Windowed, mode: RegistrationMode, now: Date): boolean {
  if (mode !== 'auto') return mode === 'open';
  const { opens, closes } = registration;
  return now < new Date(closes) && (opens === undefined || now >= new Date(opens));
}

export function opensLater(
  { registration }: Windowed,
  mode: RegistrationMode,
  now: Date,
): string | undefined {
  const { opens } = registration;
  return mode === 'auto' && opens !== undefined && now < new Date(opens) ? opens : undefined;
}

export function registrationOverAt({ registration }: Windowed): Date {
  return new Date(Date.parse(registration.closes) + GRACE_MS);
}

/** Whether unpaid registrations can no longer be paid; not for `closed` alone, which may be temporary. */
export function isRegistrationOver(facts: Windowed, mode: RegistrationMode, now: Date): boolean {
  return mode !== 'open' && now >= registrationOverAt(facts);
}

/** A moment to the second, in the retreat's time zone and in UTC, for use as evidence. */
export function tellMomentToSecond(at: Date, { timeZone }: Pick<Timetable, 'timeZone'>): string {
  const utc = `${at.toISOString().slice(0, 19)}Z`;
  const { date, clock } = tellZonedTime(at, timeZone.id, '24');
  // Today all UTC offsets are whole minutes, so the seconds are the same in every time zone.
  return `${formatWeekday(date)}, ${formatDate(date)}, at ${clock}${utc.slice(16, 19)} ${timeZone.name} (${utc})`;
}

/**
 * A moment to the minute, in the retreat's time zone and, if the hour differs, in her own: `Sunday, December
 * 21, 2025, at 5:00 pm Pacific Time (for you Mon, Dec 22, 2:00 am)`.
 * @param ownZone may be empty or unknown
 */
export function tellMoment(at: Date, { timeZone }: Pick<Timetable, 'timeZone'>, ownZone = ''): string {
  const { date, clock } = tellZonedTime(at, timeZone.id, '12');
  const told = `${formatWeekday(date)}, ${formatDate(date)}, at ${clock} ${timeZone.name}`;
  if (!ownZone || !isKnownTimeZone(ownZone) || zonesAgree([at], timeZone.id, ownZone)) return told;
  const own = tellZonedTime(at, ownZone, '12');
  return `${told} (for you ${own.date === date ? '' : `${own.day}, `}${own.clock})`;
}
