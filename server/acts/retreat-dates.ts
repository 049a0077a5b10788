import { paymentsOf } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { withUtcOffset } from '#shared/local-time.ts';
import { moment } from './plain-words.ts';
import { impossible, wrongUsage } from './refusal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Parses a day, or a day and a time, in the retreat's time zone. */
export function localMoment({ edition }: Pick<RegistrationRecord, 'edition'>, text: string): Date {
  const local = text.includes('T') ? text : `${text}T00:00`;
  return new Date(withUtcOffset(local, edition.timetable.timeZone.id));
}

/** The end of a day in the retreat's time zone: the day has 23 or 25 hours when the clocks change. */
export function dayEnd(record: RegistrationRecord, day: string): Date {
  return localMoment(record, new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10));
}

/**
 * The moment at which she wrote. A day without a time counts from its first minute, or from her registration if that
 * was later. If she paid the balance on that day, the time is required.
 */
export function writtenMoment(record: RegistrationRecord, written: string, now: Date): Date {
  const at = localMoment(record, written);
  const isDay = !written.includes('T');
  const dayEnds = isDay ? dayEnd(record, written) : at;
  const isOnThatDay = (moment: Date) => moment >= at && moment < dayEnds;
  const paidAt = paymentsOf(record).balance.find((paid) => isOnThatDay(paid.at))?.at;
  if (at > now) throw impossible('She cannot have written in the future.');
  if (isDay && paidAt) {
    const paid = moment(paidAt, record);
    throw wrongUsage(
      `Her balance was paid on that day, ${paid}: add the time at which she wrote, such as ${written}T15:30`,
    );
  }
  if (at >= record.begunAt) return at;
  requireSince(record, written);
  return record.begunAt;
}

/**
 * @param text a day, which may be the one on which she registered, or a day and a time
 * @throws {Refusal} when she registered later: the year may be mistyped
 */
export function requireSince(record: RegistrationRecord, text: string): void {
  const ended = text.includes('T') ? localMoment(record, text) : dayEnd(record, text);
  if (ended <= record.begunAt)
    throw impossible(`She registered later, on ${moment(record.begunAt, record)}.`);
}
