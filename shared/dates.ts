import { formatOf } from './zoned-time.ts';

const NBSP = '\u00a0';

// Written out, since the first use of `Intl` takes a slow phone 100 ms while the page starts. Budget: tbt.
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** `2025-12-21` -> `December 21, 2025`, kept on one line. */
export function formatDate(isoDate: string): string {
  return `${formatMonthAndDay(isoDate)},${NBSP}${new Date(isoDate).getUTCFullYear()}`;
}

export function formatMonthAndDay(isoDate: string): string {
  const date = new Date(isoDate);
  return `${MONTHS[date.getUTCMonth()]}${NBSP}${date.getUTCDate()}`;
}

/** `2025-12-21` -> `December 21, 2025`, for large text: a line may break before the year. */
export function formatBreakableDate(isoDate: string): string {
  return `${formatMonthAndDay(isoDate)}, ${isoDate.slice(0, 4)}`;
}

export function formatWeekday(isoDate: string): string {
  return String(WEEKDAYS[new Date(isoDate).getUTCDay()]);
}

export function formatDateRange(startDate: string, endDate: string): string {
  const [year, month] = startDate.split('-');
  const [endYear, endMonth, endDay] = endDate.split('-');
  if (year !== endYear) return `${formatDate(startDate)}–${formatDate(endDate)}`;
  const end = month === endMonth ? String(Number(endDay)) : formatMonthAndDay(endDate);
  return `${formatMonthAndDay(startDate)}–${end},${NBSP}${year}`;
}

/** The retreat's days with their weekdays: `Monday, March 8 to Thursday, March 11, 2027`; months keep their days. */
export function formatDateSpan(startDate: string, endDate: string): string {
  const start = `${formatWeekday(startDate)}, ${formatMonthAndDay(startDate)}`;
  return `${start} to ${formatWeekday(endDate)}, ${formatBreakableDate(endDate)}`;
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

export function countInWords(count: number): string {
  return NUMBERS[count] ?? String(count);
}

/** Whether a text begins with a date that exists: `2026-02-30` has the right format, but does not exist. */
export function isCalendarDay(text: string): boolean {
  const isoDate = text.slice(0, 10);
  const day = new Date(`${isoDate}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(isoDate);
}

const OFFSET_PART = /GMT([+-]\d{2}:\d{2})?$/;

/**
 * A local date and time, such as `2027-03-08T17:30`, with the time zone's UTC offset at that moment, daylight
 * saving included: `2027-03-08T17:30-08:00`. A local time that the clocks skip is treated as one hour later.
 * @throws {RangeError} for a time zone that `Intl` does not know
 */
export function withUtcOffset(localTime: string, timeZone: string): string {
  const guess = offsetAt(new Date(`${localTime}Z`), timeZone);
  const offset = offsetAt(new Date(`${localTime}${guess}`), timeZone);
  const found = `${localTime}${offset}`;
  if (offsetAt(new Date(found), timeZone) === offset) return found;
  const other = `${localTime}${guess}`;
  return Date.parse(other) > Date.parse(found) ? other : found;
}

/** The local date and time this many minutes later, ignoring changes of the UTC offset. */
export function addMinutes(localTime: string, minutes: number): string {
  const milliseconds = Date.parse(`${localTime}Z`) + minutes * 60_000;
  return new Date(milliseconds).toISOString().slice(0, 16);
}

export function addDays(isoDate: string, days: number): string {
  return addMinutes(`${isoDate}T00:00`, days * 24 * 60).slice(0, 10);
}

export function dateAt(moment: Date, timeZone: string): string {
  return formatOf('en-CA', { dateStyle: 'short', timeZone }).format(moment);
}

function offsetAt(moment: Date, timeZone: string): string {
  const format = formatOf('en-US', { timeZone, timeZoneName: 'longOffset' });
  const [, offset = '+00:00'] = OFFSET_PART.exec(format.format(moment)) ?? [];
  return offset;
}
