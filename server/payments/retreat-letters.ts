import type { LaterMailKind } from '#server/mail/job.ts';
import type { Timetable } from '#shared/content/edition.ts';
import { factsOf, type LetterAt } from './letter-facts.ts';
import { hasPlace } from './place-of-record.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { stateOf } from './registration-state.ts';

/**
 * When each letter around the retreat is true, and what it says then. None is true for a registration that is
 * cancelled, or whose deposit was refunded.
 */
export const retreatLetters = {
  /** From the edition's time for this letter until the session has ended, whatever is left to pay. */
  'test-session'(record, now) {
    const { testSession } = record.edition.timetable;
    if (!isTestSessionOpen(record.edition.timetable, now) || !isExpected(record)) return undefined;
    const startsAt = new Date(testSession.startsAt).toISOString();
    return { kind: 'test-session', ...factsOf(record), startsAt };
  },

  /** A registrant who disputes a charge is not reminded of what is left to pay. */
  'way-in'(record, now) {
    const day = wayInDayAt(record.edition.timetable, now);
    const isOpen = stateOf(record, now) === 'settled';
    if (day === undefined || !isExpected(record) || (record.disputed && !isOpen)) return undefined;
    return { kind: 'way-in', ...factsOf(record), day, isOpen, writtenAt: now.toISOString() };
  },
} satisfies { [Kind in LaterMailKind]?: LetterAt<Kind> };

/**
 * What the video room is open to her for: the test session from its letter on, whatever is left to pay; or,
 * once nothing is left to pay, the retreat from the first way-in letter on until it is over.
 */
export function roomOpenFor(record: RegistrationRecord, now: Date): 'test-session' | 'retreat' | undefined {
  if (!hasPlace(record)) return undefined;
  const { facts, timetable } = record.edition;
  const [first] = timetable.letters.wayIn;
  const isRetreatOpen = first && isWithin(now, first.at, facts.endsAt);
  if (isRetreatOpen && stateOf(record, now) === 'settled') return 'retreat';
  return isTestSessionOpen(timetable, now) ? 'test-session' : undefined;
}

/**
 * The day whose way-in letter is due at a moment: from its own time until that of the next day, but no longer
 * than the day's last session lasts. The letter of the day before the retreat, which is not in `days`, is due
 * until the first morning.
 */
function wayInDayAt({ letters, days }: Timetable, now: Date): string | undefined {
  const latest = letters.wayIn.findLast(({ at }) => new Date(at) <= now);
  const planned = days.find(({ date }) => date === latest?.day);
  const last = planned?.entries.findLast(({ session }) => session)?.session;
  const isOver = planned !== undefined && (last === undefined || now >= new Date(last.endsAt));
  return isOver ? undefined : latest?.day;
}

function isTestSessionOpen({ letters, testSession }: Timetable, now: Date): boolean {
  return isWithin(now, letters.testSession, testSession.endsAt);
}

function isWithin(now: Date, from: string, until: string): boolean {
  return new Date(from) <= now && now < new Date(until);
}

/** Whether she has a place and knows it: a registrant who registers this late gets the welcome first. */
function isExpected(record: RegistrationRecord): boolean {
  return hasPlace(record) && record.letters.welcome !== 'owed';
}
