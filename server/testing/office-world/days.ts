import type { Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Life } from './lives.ts';

/** The moment at which the office's day begins. */
export const OFFICE_DAY = new Date('2026-01-20T10:00-08:00');
/** When the first people register. */
export const FIRST_DAY = new Date('2025-12-01T10:00-08:00');

/** The days of the edition's letters and charges, and of retries after a decline. `daysOf` adds the days of the lives. */
const WORKING_DAYS = [
  '12-10',
  '12-18',
  '12-21',
  '12-22',
  '12-25',
  '01-01',
  '01-06',
  '01-12',
  '01-18',
  '01-19',
];

/** All days on which something happens in these lives, in order. Each life must begin on a single day. */
export function daysOf(lives: readonly Pick<Life, 'on' | 'deeds'>[]): string[] {
  const days = lives.flatMap(({ on, deeds = [] }) => [on, ...deeds.map(([day]) => day)]);
  const dated = (day: string) => momentOf(day, '00:00').getTime();
  return [...new Set([...days, ...WORKING_DAYS])].toSorted((one, other) => dated(one) - dated(other));
}

/** A day (month-day) and a time in the retreat's time zone. */
export function momentOf(day: string, clock: string): Date {
  return new Date(`${day.startsWith('12') ? '2025' : '2026'}-${day}T${clock}-08:00`);
}

/** Moves the sandbox's clock. It also runs on by itself, so it may be past the moment already: it never moves back. */
export function moveTo({ clock }: Sandbox, moment: Date): void {
  clock.moveTo(new Date(Math.max(moment.getTime(), clock.now())));
}
