const NBSP = '\u00a0';

const longDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const monthAndDay = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' });
const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: 'UTC' });

/** `2025-12-21` -> `December 21, 2025`, kept on one line. */
export function formatDate(isoDate: string): string {
  return longDate.format(new Date(isoDate)).replaceAll(' ', NBSP);
}

/** `2026-01-22` -> `January 22`, kept on one line. */
export function formatMonthAndDay(isoDate: string): string {
  return monthAndDay.format(new Date(isoDate)).replace(' ', NBSP);
}

/** `2026-01-22` -> `Thursday`. */
export function formatWeekday(isoDate: string): string {
  return weekday.format(new Date(isoDate));
}

/** The retreat's days in short: `January 22–25, 2026`. Both dates lie in one year. */
export function formatDateRange(startDate: string, endDate: string): string {
  const inOneMonth = startDate.slice(0, 7) === endDate.slice(0, 7);
  const end = inOneMonth ? String(Number(endDate.slice(8))) : formatMonthAndDay(endDate);
  return `${formatMonthAndDay(startDate)}–${end},${NBSP}${startDate.slice(0, 4)}`;
}

/** The retreat's days with their weekdays: `Thursday, January 22 to Sunday, January 25, 2026`, broken at `to` only. */
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
