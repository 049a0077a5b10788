import type { Facts } from '#shared/content/edition.ts';
import { officePlaceholders } from '#shared/content/policies.ts';
import { recordedOf } from '#shared/content/recordings.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';
import { addDays } from '#shared/local-time.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { PAGES_OPEN_DAYS } from '#shared/place.ts';
import type { Written } from './schemas.ts';
import { type FoundText, textsOf } from './texts-of.ts';

const PLACEHOLDER = /\{(\w+)\}/g;

/**
 * The placeholders that an author can use, with their values, so that a price or a date is written only once.
 */
export type Words = ReadonlyMap<string, string>;

export function wordsOf(
  { title, siteName, subtitle, startDate, endDate, balanceDueDate, ...facts }: Facts,
  schedule: Written['schedule'],
): Words {
  const { prices, balance, retreatPackage } = facts;
  return new Map([
    ['title', title],
    ['siteName', siteName],
    ['subtitle', subtitle],
    ['dates', formatDateRange(startDate, endDate)],
    ['balanceDue', formatDate(balanceDueDate)],
    ['tuition', formatDollars(retreatPackage.total)],
    ['regularTuition', formatDollars(retreatPackage.oldPrice)],
    ['saving', formatCents(prices.savingCents)],
    ['cardFee', prices.cardFee],
    ['depositBeforeFee', formatCents(prices.depositBeforeFeeCents)],
    ['deposit', formatCents(prices.depositCents)],
    ['balanceBeforeFee', formatCents(prices.balanceBeforeFeeCents)],
    ['balance', formatCents(prices.balanceCents)],
    ['wholePriceByCard', formatCents(prices.byCardCents)],
    ['lateDays', String(balance.lateDays)],
    ...recordingWords(recordedOf(sessionsOf(schedule)), formatDate(addDays(endDate, PAGES_OPEN_DAYS))),
  ]);
}

/**
 * What is recorded, for the middle of a sentence and for its beginning, and the last day on which registrants can see it;
 * no placeholders if nothing is recorded.
 */
function recordingWords(recorded: string | undefined, lastDay: string): [name: string, words: string][] {
  if (recorded === undefined) return [];
  return [
    ['recorded', recorded],
    ['Recorded', `${recorded.charAt(0).toUpperCase()}${recorded.slice(1)}`],
    ['recordingsUntil', lastDay],
  ];
}

/** The sessions of all days, without breaks. */
export function sessionsOf({ days }: Written['schedule']) {
  return days.flatMap(({ entries }) => entries.filter((entry) => 'minutes' in entry));
}

/**
 * Fills the placeholders in all texts of a value, except those that the site's configuration fills in later.
 */
export function fillWords<Value>(value: Value, words: Words): Value;
export function fillWords(value: unknown, words: Words): unknown {
  if (typeof value === 'string') return value.replace(PLACEHOLDER, (all, name) => words.get(name) ?? all);
  if (Array.isArray(value)) return value.map((part) => fillWords(part, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fillWords(part, words)]));
}

/** The placeholders in the texts of an edition that nothing fills in. */
export function unknownWords(written: Written, words: Words): (FoundText & { name: string })[] {
  const office: readonly string[] = officePlaceholders;
  return textsOf(written).flatMap((found) => {
    const names = [...found.text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
    return names
      .filter((name) => !words.has(name) && !office.includes(name))
      .map((name) => ({ ...found, name }));
  });
}
