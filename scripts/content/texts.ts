import { percentOf } from '#shared/content/card-fee.ts';
import type { Facts } from '#shared/content/edition.ts';
import { recordedOf } from '#shared/content/recordings.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';
import { addDays } from '#shared/local-time.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { PAGES_OPEN_DAYS } from '#shared/own-page.ts';
import type { Field } from './problems.ts';
import type { Written } from './schemas.ts';

/** A text of an edition: the file, the path to it there, and the text as it is written. */
export interface FoundText {
  file: keyof Written;
  field: Field;
  text: string;
}

/** The files that an author writes words into, the terms first. */
const FILES = ['terms', 'edition', 'schedule', 'page', 'people', 'outlets', 'faq'] as const;

/** All texts of an edition. */
export function textsOf(written: Written): FoundText[] {
  const search = (file: keyof Written, value: unknown, field: Field): FoundText[] => {
    if (typeof value === 'string') return [{ file, field, text: value }];
    if (typeof value !== 'object' || value === null) return [];
    const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    return parts.flatMap(([key, part]) => search(file, part, [...field, key]));
  };
  return FILES.flatMap((file) => search(file, written[file], []));
}

export const PLACEHOLDER = /\{(\w+)\}/g;

/** The placeholders that an author can use, with their values, so that a price or a date is written only once. */
export type Words = Readonly<Record<string, string>>;

/** The placeholders of an edition; those about recordings only if something is recorded. */
export function wordsOf(facts: Facts, schedule: Written['schedule']): Words {
  const { title, siteName, subtitle, prices, balance, retreatPackage } = facts;
  const recorded = recordedOf(sessionsOf(schedule));
  return {
    title,
    siteName,
    subtitle,
    dates: formatDateRange(facts.startDate, facts.endDate),
    balanceDue: formatDate(facts.balanceDueDate),
    tuition: formatDollars(retreatPackage.total),
    regularTuition: formatDollars(retreatPackage.oldPrice),
    saving: formatCents(prices.savingCents),
    // Only what is asked can be named.
    ...(prices.cardFeePerMille > 0 && { cardFee: prices.cardFee }),
    ...(prices.checkDiscountPerMille > 0 && {
      checkDiscount: percentOf(prices.checkDiscountPerMille),
      wholePriceByCheck: formatCents(prices.byCheckCents),
    }),
    depositBeforeFee: formatCents(prices.depositBeforeFeeCents),
    deposit: formatCents(prices.depositCents),
    balanceBeforeFee: formatCents(prices.balanceBeforeFeeCents),
    balance: formatCents(prices.balanceCents),
    wholePriceByCard: formatCents(prices.byCardCents),
    lateDays: String(balance.lateDays),
    ...(recorded !== undefined && {
      // In the middle of a sentence, and at its beginning; and the last day on which registrants can see it.
      recorded,
      Recorded: `${recorded.charAt(0).toUpperCase()}${recorded.slice(1)}`,
      recordingsUntil: formatDate(addDays(facts.endDate, PAGES_OPEN_DAYS)),
    }),
  };
}

/** The sessions of all days, without breaks. */
export function sessionsOf({ days }: Written['schedule']) {
  return days.flatMap(({ date, entries }) =>
    entries.flatMap((entry) => ('minutes' in entry ? [{ ...entry, date }] : [])),
  );
}

/** Fills the placeholders in all texts of a value, except those that the site's configuration fills in later. */
export function fillWords<Value>(value: Value, words: Words): Value;
export function fillWords(value: unknown, words: Words): unknown {
  if (typeof value === 'string') return value.replace(PLACEHOLDER, (all, name) => words[name] ?? all);
  if (Array.isArray(value)) return value.map((part) => fillWords(part, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fillWords(part, words)]));
}
