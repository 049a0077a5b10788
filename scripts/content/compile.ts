import { createHash } from 'node:crypto';
import type { Edition, Facts, ScheduledSession, Terms, Timetable } from '#shared/content/edition.ts';
import { lastHandOverDay } from '#shared/content/prices.ts';
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
import type { Written } from './schema.ts';

/** An edition that is compiled; its emblem is drawn apart. */
export type Compiled = Omit<Edition, 'emblem'>;

/** An edition as letters, calendars and payments use it: prices and moments calculated, placeholders filled in. */
export function compileEdition(id: string, written: Written): Compiled {
  const facts = factsOf(id, written.edition);
  const { page, terms, edition } = fillWords(written, wordsOf(facts, written));
  const { questions, plans, notices, timeZone, balance } = edition;
  const local = (moment: string) => withUtcOffset(moment, timeZone.id);
  const { paper, sand, ink, accent, rule, ...others } = written.theme.colors;
  return {
    facts,
    timetable: timetableOf(written, page.schedule.intro),
    terms: withDigest(terms),
    agreed: written.agreed,
    lateTerms: lateTermsOf(written, terms),
    practicalFacts: page.practicalFacts,
    ...(questions &&
      questions.items.length > 0 && {
        questions: {
          remindAt: local(questions.remindAt),
          editableUntil: local(questions.editableUntil),
          items: questions.items,
        },
      }),
    ...(plans && {
      plans: {
        ...plans,
        offered: plans.offered.map((days) => days.map((day) => local(`${day}T${balance.chargedAt}`))),
      },
    }),
    ...(notices && { notices }),
    palette: {
      ...{ paper, sand, ink, inkSoft: others['ink-soft'] },
      ...{ accent, accentText: others['accent-text'], onAccent: others['on-accent'], rule },
    },
    tryOutFrom: local(edition.tryOutFrom),
  };
}

export const PLACEHOLDER = /\{(\w+)\}/g;

/** The placeholders that an author can use, with their values, so that a price or a date is written only once. */
export type Words = Readonly<Record<string, string>>;

/** The placeholders of an edition; only what is asked or recorded can be named. */
export function wordsOf(facts: Facts, { schedule }: Pick<Written, 'schedule'>): Words {
  const { title, siteName, subtitle, prices, balance, retreatPackage } = facts;
  const recorded = recordedOf(sessionsOf(schedule));
  const lastDay = lastHandOverDay(facts);
  return {
    ...{ title, siteName, subtitle },
    dates: formatDateRange(facts.startDate, facts.endDate),
    balanceDue: formatDate(facts.balanceDueDate),
    ...(lastDay !== undefined && { handOverUntil: formatDate(lastDay) }),
    tuition: formatDollars(retreatPackage.total),
    regularTuition: formatDollars(retreatPackage.oldPrice),
    saving: formatCents(prices.savingCents),
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
 * The digest covers the text as registrants read it, with its prices and dates, but with the placeholders for
 * the office's details, which are configuration.
 */
export function withDigest({ version, policies }: Written['terms']): Terms {
  const digest = createHash('sha256').update(JSON.stringify(policies)).digest('hex');
  return { version, digest, policies };
}

const paragraphsOf = ({ policies }: Written['terms']) => policies.flatMap(({ paragraphs }) => paragraphs);

/** Whether a paragraph of the terms, with its placeholders, says how the balance of a late deposit is charged. */
const isOnLate = (paragraph = ''): boolean => paragraph.includes('{lateDays}');
export const saysWhenLate = (terms: Written['terms']): boolean => paragraphsOf(terms).some(isOnLate);

/** The versions of the terms whose paragraphs on late deposits are, word for word, the same as the present ones. */
function lateTermsOf({ terms, agreed }: Written, filled: Written['terms']): string[] {
  const written = paragraphsOf(terms);
  const onLate = paragraphsOf(filled).filter((_, index) => isOnLate(written[index]));
  const same = [filled, ...agreed].filter((version) =>
    onLate.every((paragraph) => paragraphsOf(version).includes(paragraph)),
  );
  return [...new Set(same.map(({ version }) => version))];
}

export function factsOf(id: string, edition: Written['edition']): Facts {
  const { siteName, title, subtitle, dates, registration, timeZone, price, balance, calendar } = edition;
  const { places, holdMinutes, handOverUntil, statementSuffix } = edition;
  const local = (moment: string) => withUtcOffset(moment, timeZone.id);
  const charged = (daysBefore: number) =>
    local(`${addDays(price.balanceDue, -daysBefore)}T${balance.chargedAt}`);
  return {
    ...{ id, siteName, title, subtitle },
    startDate: dates.first,
    endDate: dates.last,
    balanceDueDate: price.balanceDue,
    balance: {
      noticeAt: charged(balance.noticeDays),
      reminderAt: charged(balance.reminderDays),
      chargeAt: charged(0),
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
      ...edition.package,
      total: price.tuition,
      oldPrice: price.regularTuition,
      deposit: price.deposit,
    },
    prices: pricesOf(price),
    calendar,
  };
}

function pricesOf(price: Written['edition']['price']): Facts['prices'] {
  const tuitionCents = dollarsToCents(price.tuition);
  const depositBeforeFeeCents = dollarsToCents(price.depositBeforeFee);
  const depositCents = dollarsToCents(price.deposit);
  // A rate in percent with two decimals at most.
  const cardFeePerMille = Math.round(price.cardFee * 100) / 10;
  const balanceBeforeFeeCents = tuitionCents - depositBeforeFeeCents;
  const balanceCents = balanceOf({ prices: { balanceBeforeFeeCents, cardFeePerMille } }).byCardCents;
  return {
    cardFee: percentOf(cardFeePerMille),
    cardFeePerMille,
    savingCents: dollarsToCents(price.regularTuition) - tuitionCents,
    ...{ depositBeforeFeeCents, depositCents, balanceBeforeFeeCents, balanceCents },
    byCardCents: depositCents + balanceCents,
  };
}

type PlannedSession = Omit<ReturnType<typeof sessionsOf>[number], 'date'>;

/** The sessions, each with its id, its end and its UTC offset, and when the letters go out. */
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
  const sessions = days.flatMap(({ entries }) => entries.flatMap(({ session }) => session ?? []));
  return {
    ...{ timeZone, intro, days, sessions },
    testSession: sessionAt(date, { ...test, name: 'test' }),
    linkDates: { testSession: wayIn.testLinkSent, retreat: wayIn.linkSent },
    letters: {
      testSession: at(wayIn.testLinkSent, wayIn.sentAt),
      wayIn: [...wayInDays].map((day) => ({ day, at: at(day, wayIn.sentAt) })),
      ...(recordings &&
        recordedOf(sessions) && {
          recordings: at(addDays(dates.last, recordings.daysAfter), recordings.sentAt),
        }),
    },
  };
}
