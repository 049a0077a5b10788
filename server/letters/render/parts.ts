import type { Office } from '#server/config/office.ts';
import { type Links, linksEndAt, type RegistrationRecord } from '#server/registration/registration.ts';
import type { Edition, ScheduleEntry, Timetable } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { daysDiffer, describeWayIn, formatLength, scheduleWords } from '#shared/content/schedule.ts';
import { dateAt, formatDate, formatDateRange, formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone, isKnownTimeZone, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import {
  type Block,
  type Fact,
  heading,
  type Passage,
  type ScheduleRow,
  type ScheduleTable,
} from './letter.ts';

export interface MessageContext {
  office: Office;
  siteUrl: string;
  /** Without it, letters to the office name commands instead. */
  officeUrl?: string | undefined;
  /** Makes the links when a letter is sent, so that no queue holds one. */
  links: Pick<Links, 'url'>;
}

/** What a letter needs besides the record: its reader's edition, as she agreed to it, and her clock. */
export interface Writing extends MessageContext {
  edition: Edition;
  timeZone: string;
  day(at: Date): string;
  /** In the retreat's time zone and, if it is another one, in that of the reader. */
  moment(at: Date): string;
}

export function writingFor(context: MessageContext, edition: Edition, timeZone = ''): Writing {
  const { timetable } = edition;
  return {
    ...context,
    edition,
    timeZone,
    day: (at) => formatDate(dateAt(at, timetable.timeZone.id)),
    moment: (at) => tellMoment(at, timetable, timeZone),
  };
}

export function pageUrlOf({ siteUrl }: Pick<MessageContext, 'siteUrl'>): string {
  return new URL('/', siteUrl).href;
}

/** On the ops listener: a proxy publishes the paths that begin with it, and no others. */
export const OFFICE_PATH = '/office';

export const officePages = {
  registration: (id: string): string => `${OFFICE_PATH}/registrations/${id}`,
  letters: `${OFFICE_PATH}/letters`,
  waiting: `${OFFICE_PATH}/waiting`,
} as const;

/** Undefined if the URL of the office's pages is not configured. */
export function officePageOf(context: MessageContext, id: string): string | undefined {
  return officeUrlOf(context, officePages.registration(id));
}

export function officeUrlOf({ officeUrl }: MessageContext, path: string): string | undefined {
  return officeUrl === undefined ? undefined : new URL(path, officeUrl).href;
}

/** They become links wherever they occur in a letter. */
export interface LinkedWords {
  /** Matches any of them, as a group: `split` keeps it. */
  pattern: RegExp;
  hrefOf(word: string): string | undefined;
}

export const linkedWords = oncePer((context: MessageContext): LinkedWords => {
  const { email, phone } = context.office;
  const pageUrl = pageUrlOf(context);
  const hrefs = new Map([
    [email, mailLink(email)],
    [phone, phoneLink(phone)],
    [phone.replaceAll(' ', '\u00a0'), phoneLink(phone)],
  ]);
  // Punctuation at the end of a sentence is not part of a URL.
  const address = `${escapePattern(pageUrl)}(?:[\\w./-]*\\w)?`;
  return {
    pattern: new RegExp(`(${[...[...hrefs.keys()].map(escapePattern), address].join('|')})`),
    hrefOf: (word) => hrefs.get(word) ?? (word.startsWith(pageUrl) ? word : undefined),
  };
});

function escapePattern(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

export function lastDayOfLinks({ edition, day }: Writing): string {
  return day(new Date(linksEndAt(edition.facts).getTime() - 1));
}

/** The terms that she agreed to; undefined if that is not on record. */
export function agreedTerms({ agreement }: Pick<RegistrationRecord, 'agreement'>, { agreed }: Edition) {
  return agreed.find(({ version }) => version === agreement?.version);
}

/** Where they stay. */
export function termsUrlOf(
  record: Pick<RegistrationRecord, 'agreement'>,
  { edition, siteUrl }: Writing,
): string | undefined {
  const terms = agreedTerms(record, edition);
  return terms && new URL(termsPathOf(edition.facts, terms), siteUrl).href;
}

/** To end a sentence with. */
export function waysToAsk({ office: { email, phone } }: MessageContext): string {
  return `reply to this e-mail, write to ${email} or call ${phone}`;
}

export function daysOf({ facts: { startDate, endDate } }: Edition): string {
  return formatDateRange(startDate, endDate);
}

export function inDollars(cents: number): string {
  return `${formatCents(cents)} (US dollars)`;
}

/** Nothing where there is no fee: the sum charged is then the same. */
export function withFee(label: string, cents: number, beforeFeeCents: number, { edition }: Writing): Fact[] {
  if (cents === beforeFeeCents) return [];
  return [
    { label, value: formatCents(beforeFeeCents) },
    { label: `Card fee (${edition.facts.prices.cardFee})`, value: formatCents(cents - beforeFeeCents) },
  ];
}

export function statementRows({ edition }: Writing): Fact[] {
  const { statementSuffix } = edition.facts;
  return statementSuffix ? [{ label: 'On your statement', value: `ends with “${statementSuffix}”` }] : [];
}

export function beginning(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

export function pageButton(
  { id: subject, linksEpoch: epoch }: Pick<RegistrationRecord, 'id' | 'linksEpoch'>,
  { links, edition }: Writing,
  label: string,
  section?: string,
): Block {
  const href = links.url('place', { subject, epoch, expiresAt: linksEndAt(edition.facts) });
  return { kind: 'button', label, href: section ? `${href}#${section}` : href };
}

export function scheduleBlocks({ timeZone, edition }: Writing, now: Date): Passage[] {
  const { ownZone, zoneNote, table } = scheduleOf(edition)(timeZone);
  const { timetable } = edition;
  const own = ownZone === null ? undefined : ({ timeZone: ownZone, hourCycle: '12' } as const);
  return [
    heading('The schedule'),
    `${zoneNote} ${timetable.intro}`,
    describeWayIn(timetable, own, now),
    table,
  ];
}

const scheduleOf = oncePer((edition: Edition) =>
  oncePer((timeZone: string) => scheduleIn(timeZone, edition.timetable)),
);

export function scheduleIn(timeZone: string, timetable: Timetable) {
  const { name, label } = timetable.timeZone;
  const ownZone = findOwnZone(timeZone, timetable);
  const table: Block = { kind: 'schedule', table: scheduleTable(timetable, ownZone) };
  if (ownZone === null) return { ownZone, zoneNote: scheduleWords.zoneNote(timetable), table };
  const otherDays = daysDiffer(timetable, ownZone)
    ? ' If the day is different for you, it is shown with the time.'
    : '';
  const own = formatTimeZone(ownZone);
  const zoneNote = `Times are given in ${name} (${label}) and in your own time, ${own}.${otherDays}`;
  return { ownZone, zoneNote, table };
}

/** Null for an unknown zone, and for one whose clocks agree with the retreat's at all of its sessions. */
function findOwnZone(timeZone: string, timetable: Timetable): string | null {
  if (!timeZone || !isKnownTimeZone(timeZone)) return null;
  const moments = timetable.sessions.map(({ startsAt }) => new Date(startsAt));
  return zonesAgree(moments, timetable.timeZone.id, timeZone) ? null : timeZone;
}

function scheduleTable({ timeZone, days }: Timetable, ownZone: string | null): ScheduleTable {
  const own = ownZone === null ? {} : { own: `Your time: ${formatTimeZone(ownZone)}` };
  return {
    columns: { time: timeZone.name, ...own, note: 'Session' },
    days: days.map(({ date, caveat, entries }) => ({
      title: `${formatWeekday(date)}, ${formatMonthAndDay(date)}`,
      ...(caveat && { caveat }),
      rows: entries.map((entry) => scheduleRow(entry, ownZone)),
    })),
  };
}

function scheduleRow({ time, note, session }: ScheduleEntry, ownZone: string | null): ScheduleRow {
  if (!session) return { time, note };
  const length = formatLength(session.minutes);
  if (ownZone === null) return { time, note, length };
  const { clock, day, date } = tellZonedTime(new Date(session.startsAt), ownZone, '12');
  const own = session.start.startsWith(date) ? { clock } : { clock, day };
  return { time, own, note, length };
}
