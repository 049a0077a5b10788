import { localClock } from '#server/service/local-clock.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { withUtcOffset } from '#shared/dates.ts';

/**
 * The office's, by whose days checks are written down. Stripe's reports have the same months if this time zone is chosen
 * for the account, and not UTC.
 * @see https://docs.stripe.com/reports/options
 */
export const bookZone = edition.timetable.timeZone;

export const { dateOf: dayOf, minuteOf } = localClock(bookZone.id);

/** The month of a moment, such as `2027-03`. */
export const monthOf = (at: Date): string => dayOf(at).slice(0, 7);

export const beginningOf = (month: string): Date => new Date(withUtcOffset(`${month}-01T00:00`, bookZone.id));

export function monthAfter(month: string, months: number): string {
  const first = new Date(`${month}-01`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return first.toISOString().slice(0, 7);
}

const names = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export const monthName = (month: string): string => names.format(new Date(`${month}-01`));
