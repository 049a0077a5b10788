/** This edition of the retreat: its name and its days. Dates are ISO, at the retreat's own time zone. */
export const edition = {
  /** Names this edition to calendars: it never changes, whatever else does. */
  id: 'january-2026',
  siteName: 'The Doorway Retreat',
  title: 'The Doorway Retreat',
  subtitle: 'A live online retreat on emotional eating and self-compassion',
  /** What the visitor is paying for, as the registration form calls it. */
  selectionLabel: 'January 2026 Online Retreat Deposit',
  startDate: '2026-01-22',
  endDate: '2026-01-25',
  balanceDueDate: '2025-12-21',
  timeZone: 'America/Los_Angeles',
  timeZoneName: 'Pacific Time',
  timeZoneLabel: 'PT',
  /** The time zone's distance from UTC on the days of the retreat and of the test session. */
  utcOffset: '-08:00',
} as const;

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
