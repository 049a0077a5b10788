import { createHash } from 'node:crypto';
import type {
  BalanceTerms,
  Edition,
  Facts,
  Palette,
  Plans,
  ScheduledSession,
  Terms,
  Timetable,
} from '#shared/content/edition.ts';
import { lastHandOverDay } from '#shared/content/prices.ts';
import type { Questions } from '#shared/content/questions.ts';
import { formatClockTime, recordedOf } from '#shared/content/schedule.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import {
  addDays,
  addMinutes,
  formatDate,
  formatDateRange,
  formatWeekday,
  withUtcOffset,
} from '#shared/dates.ts';
import { dollarsToCents, formatCents, formatDollars, percentOf } from '#shared/money.ts';
import { PAGES_OPEN_DAYS } from '#shared/own-page.ts';
import type { Field } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';

/** A text of an edition: the file, the path to it there, and the text as it is written. */
export interface FoundText {
  file: keyof Written;
  field: Field;
  text: string;
}

/** The files that an author writes words into, the terms first. */
const FILES = ['terms', 'edition', 'schedule', 'page', 'people', 'outlets', 'faq'] as const;

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
  const lastDay = lastHandOverDay(facts);
  return {
    title,
    siteName,
    subtitle,
    dates: formatDateRange(facts.startDate, facts.endDate),
    balanceDue: formatDate(facts.balanceDueDate),
    ...(lastDay !== undefined && { handOverUntil: formatDate(lastDay) }),
    tuition: formatDollars(retreatPackage.total),
    regularTuition: formatDollars(retreatPackage.oldPrice),
    saving: formatCents(prices.savingCents),
    // Only what is asked can be named.
    ...(prices.cardFeePerMille > 0 && { cardFee: prices.cardFee }),
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

/**
 * An edition as letters, calendars and payments use it: prices and moments calculated, placeholders filled
 * in. The emblem is drawn apart.
 */
export function compileEdition({ id, written, agreed }: EditionFolder): Omit<Edition, 'emblem'> {
  const facts = factsOf(id, written.edition);
  const { page, terms, edition } = fillWords(written, wordsOf(facts, written.schedule));
  const questions = questionsOf(edition);
  const plans = plansOf(edition);
  return {
    facts,
    timetable: timetableOf(written, page.schedule.intro),
    terms: withDigest(terms),
    agreed: agreed.map((terms) => ({ ...withDigest(terms), ...balanceTermsOf(terms) })),
    lateTerms: lateTermsOf(written.terms, terms, agreed),
    practicalFacts: page.practicalFacts,
    ...(questions && { questions }),
    ...(plans && { plans }),
    ...(edition.notices && { notices: edition.notices }),
    palette: paletteOf(written.theme),
    tryOutFrom: withUtcOffset(written.edition.tryOutFrom, written.edition.timeZone.id),
  };
}

/**
 * The digest covers the text as registrants read it, with its prices and dates, but with the placeholders for
 * the office's details, which are configuration.
 */
function withDigest({ version, policies }: Written['terms']): Terms {
  const digest = createHash('sha256').update(JSON.stringify(policies)).digest('hex');
  return { version, digest, policies };
}

/** What the terms say of the balance, at the prices and dates of an edition or of an earlier version. */
export function balanceTermsOf({ prices, balance }: BalanceTerms): BalanceTerms {
  const { balanceBeforeFeeCents, cardFeePerMille } = prices;
  const { chargeAt, refundsEndAt, lateDays, feeRefundable } = balance;
  return {
    prices: { balanceBeforeFeeCents, cardFeePerMille },
    balance: { chargeAt, refundsEndAt, lateDays, feeRefundable },
  };
}

/** The versions of the terms whose paragraphs on late deposits are, word for word, the same as the present ones. */
function lateTermsOf(
  written: Written['terms'],
  present: Written['terms'],
  agreed: readonly Written['terms'][],
): string[] {
  const paragraphsOf = ({ policies }: Written['terms']) => policies.flatMap(({ paragraphs }) => paragraphs);
  const rules = paragraphsOf(written);
  const onLate = paragraphsOf(present).filter((_, index) => isOnLate(rules[index] ?? ''));
  const saysSo = (terms: Written['terms']) =>
    onLate.length > 0 && onLate.every((paragraph) => paragraphsOf(terms).includes(paragraph));
  return [...new Set([present, ...agreed].filter(saysSo).map(({ version }) => version))];
}

/** Whether a paragraph of the terms, with its placeholders, says how the balance of a late deposit is charged. */
export const isOnLate = (paragraph: string): boolean => paragraph.includes('{lateDays}');

/** The questions; undefined where none is asked. */
function questionsOf({ questions, timeZone }: Written['edition']): Questions | undefined {
  if (!questions || questions.items.length === 0) return undefined;
  return {
    remindAt: withUtcOffset(questions.remindAt, timeZone.id),
    editableUntil: withUtcOffset(questions.editableUntil, timeZone.id),
    items: questions.items,
  };
}

/** The plans that are offered, each part at the hour of the balance. */
function plansOf({ plans, balance, timeZone }: Written['edition']): Plans | undefined {
  const momentOf = (day: string) => withUtcOffset(`${day}T${balance.chargedAt}`, timeZone.id);
  return plans && { ...plans, offered: plans.offered.map((days) => days.map(momentOf)) };
}

function paletteOf({ colors }: Written['theme']): Palette {
  const { paper, sand, ink, accent, rule } = colors;
  const { 'ink-soft': inkSoft, 'accent-text': accentText, 'on-accent': onAccent } = colors;
  return { paper, sand, ink, inkSoft, accent, accentText, onAccent, rule };
}

export function factsOf(id: string, edition: Written['edition']): Facts {
  const { siteName, title, subtitle, dates, registration, timeZone, price, balance } = edition;
  const { places, holdMinutes, handOverUntil } = edition;
  const local = (moment: string) => withUtcOffset(moment, timeZone.id);
  const { statementSuffix, calendar } = edition;
  const { selection, asteriskNote, ...words } = edition.package;
  return {
    id,
    siteName,
    title,
    subtitle,
    startDate: dates.first,
    endDate: dates.last,
    balanceDueDate: price.balanceDue,
    balance: {
      noticeAt: local(`${addDays(price.balanceDue, -balance.noticeDays)}T${balance.chargedAt}`),
      reminderAt: local(`${addDays(price.balanceDue, -balance.reminderDays)}T${balance.chargedAt}`),
      chargeAt: local(`${price.balanceDue}T${balance.chargedAt}`),
      refundsEndAt: local(`${addDays(price.balanceDue, 1)}T00:00`),
      lateDays: balance.lateDays,
      // Where no fee is asked, all that was paid comes back.
      feeRefundable: balance.feeRefundable ?? true,
    },
    endsAt: local(`${addDays(dates.last, 1)}T00:00`),
    ...(places !== undefined && { places }),
    holdMinutes,
    ...(handOverUntil !== undefined && { handOverUntil: local(`${addDays(handOverUntil, 1)}T00:00`) }),
    ...(statementSuffix !== undefined && { statementSuffix }),
    registration: {
      ...(registration.opens !== undefined && { opens: local(registration.opens) }),
      closes: local(registration.closes),
    },
    retreatPackage: {
      ...words,
      selection,
      ...(asteriskNote !== undefined && { asteriskNote }),
      total: price.tuition,
      oldPrice: price.regularTuition,
      deposit: price.deposit,
    },
    prices: pricesOf(price),
    calendar,
  };
}

function pricesOf(price: Written['edition']['price']): Facts['prices'] {
  const { tuition, regularTuition, depositBeforeFee, cardFee, deposit } = price;
  const tuitionCents = dollarsToCents(tuition);
  const depositBeforeFeeCents = dollarsToCents(depositBeforeFee);
  const depositCents = dollarsToCents(deposit);
  const cardFeePerMille = perMille(cardFee);
  const balanceBeforeFeeCents = tuitionCents - depositBeforeFeeCents;
  const balanceCents = balanceOf({ prices: { balanceBeforeFeeCents, cardFeePerMille } }).byCardCents;
  return {
    cardFee: percentOf(cardFeePerMille),
    cardFeePerMille,
    savingCents: dollarsToCents(regularTuition) - tuitionCents,
    depositBeforeFeeCents,
    depositCents,
    balanceBeforeFeeCents,
    balanceCents,
    byCardCents: depositCents + balanceCents,
  };
}

/** A rate in percent with two decimals at most. */
const perMille = (percent: number): number => Math.round(percent * 100) / 10;

type PlannedSession = Omit<ReturnType<typeof sessionsOf>[number], 'date'>;

/**
 * The sessions, each with its id, its end and its UTC offset, and when the letters go out: the one with the way in on the
 * day of `linkSent` and on each day of the retreat, the one about the recordings some days after the last day.
 */
function timetableOf({ edition, schedule }: Written, intro: string): Timetable {
  const { timeZone, wayIn, recordings, dates } = edition;
  const at = (date: string, clock: string) => withUtcOffset(`${date}T${clock}`, timeZone.id);
  const sessionAt = (date: string, planned: PlannedSession): ScheduledSession => {
    const { name, title, time, minutes, recorded } = planned;
    const start = `${date}T${time}`;
    const end = addMinutes(start, minutes);
    return {
      id: `${formatWeekday(date).toLowerCase()}-${name}`,
      title,
      start,
      startsAt: withUtcOffset(start, timeZone.id),
      minutes,
      end,
      endsAt: withUtcOffset(end, timeZone.id),
      ...(recorded && { recorded }),
    };
  };
  const days = schedule.days.map(({ date, caveat, entries }) => ({
    date,
    ...(caveat !== undefined && { caveat }),
    entries: entries.map((entry) =>
      'minutes' in entry
        ? { time: formatClockTime(entry.time, timeZone), note: entry.title, session: sessionAt(date, entry) }
        : { time: entry.time, note: entry.title },
    ),
  }));
  const { date, ...test } = wayIn.testSession;
  const wayInDays = new Set([wayIn.linkSent, ...days.map((day) => day.date)]);
  const isRecorded = sessionsOf(schedule).some(({ recorded }) => recorded !== undefined);
  return {
    timeZone,
    intro,
    days,
    sessions: days.flatMap(({ entries }) => entries.flatMap(({ session }) => session ?? [])),
    testSession: sessionAt(date, { ...test, name: 'test' }),
    linkDates: { testSession: wayIn.testLinkSent, retreat: wayIn.linkSent },
    letters: {
      testSession: at(wayIn.testLinkSent, wayIn.sentAt),
      wayIn: [...wayInDays].map((day) => ({ day, at: at(day, wayIn.sentAt) })),
      ...(recordings &&
        isRecorded && { recordings: at(addDays(dates.last, recordings.daysAfter), recordings.sentAt) }),
    },
  };
}
