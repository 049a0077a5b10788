const NBSP = '\u00a0';

const longDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const monthAndDay = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' });
const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: 'UTC' });

/** `2025-12-21` -> `December 21, 2025`, kept on one line. */
export function formatDate(isoDate: string): string {
  return longDate.format(new Date(isoDate)).replaceAll(' ', NBSP);
}

/** `2027-03-08` -> `March 8`, kept on one line. */
export function formatMonthAndDay(isoDate: string): string {
  return monthAndDay.format(new Date(isoDate)).replace(' ', NBSP);
}

/** `2027-03-08` -> `Monday`. */
export function formatWeekday(isoDate: string): string {
  return weekday.format(new Date(isoDate));
}

/** The retreat's days in short: `March 8–11, 2027`. */
export function formatDateRange(startDate: string, endDate: string): string {
  const [year, month] = startDate.split('-');
  const [endYear, endMonth, endDay] = endDate.split('-');
  if (year !== endYear) return `${formatDate(startDate)}–${formatDate(endDate)}`;
  const end = month === endMonth ? String(Number(endDay)) : formatMonthAndDay(endDate);
  return `${formatMonthAndDay(startDate)}–${end},${NBSP}${year}`;
}

/** The retreat's days with their weekdays: `Monday, March 8 to Thursday, March 11, 2027`, broken at `to` only. */
export function formatDateSpan(startDate: string, endDate: string): string {
  const start = `${formatWeekday(startDate)}, ${formatMonthAndDay(startDate)}`;
  const end = `${formatWeekday(endDate)}, ${formatDate(endDate)}`;
  return [start, end].map((date) => date.replaceAll(' ', NBSP)).join(' to ');
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** `4` -> `four`; from eleven on in digits. */
export function countInWords(count: number): string {
  return NUMBERS[count] ?? String(count);
}

/** Whether a text begins with a date that exists: `2026-02-30` has the right format, but does not exist. */
export function isCalendarDay(text: string): boolean {
  const isoDate = text.slice(0, 10);
  const day = new Date(`${isoDate}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(isoDate);
}
