import type { Office } from '#server/config/office.ts';
import { type Links, linksEndAt, type RegistrationRecord } from '#server/registration/registration.ts';
import type { Edition, ScheduleDay, ScheduleEntry, Timetable } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { describeWayIn, formatLength, scheduleWords } from '#shared/content/schedule.ts';
import { dateAt, formatDate, formatDateRange, formatMonthAndDay, formatWeekday } from '#shared/dates.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone, isKnownTimeZone, tellZonedTime, zonesAgree } from '#shared/zoned-time.ts';
import { type Block, factTable, heading, type Passage, subheading } from './letter.ts';

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
  /** The edition's. */
  title: string;
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
    title: edition.facts.title,
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
export function officeUrlOf({ officeUrl }: MessageContext, path: string): string | undefined {
  return officeUrl === undefined ? undefined : new URL(path, officeUrl).href;
}

export interface LinkedWords {
  /** Matches any of them, as a group: `split` keeps it. */
  pattern: RegExp;
  hrefOf(word: string): string;
}

/** Without the punctuation that ends a sentence. */
const ADDRESS = String.raw`://[^\s<>"]*[\p{L}\p{N}/=&#_-]`;

export const linkedWords = oncePer(({ office: { email, phone }, siteUrl }: MessageContext): LinkedWords => {
  const scheme = siteUrl.startsWith('http:') ? 'https?' : 'https';
  const hrefs = new Map([
    [email, mailLink(email)],
    [phone, phoneLink(phone)],
    [phone.replaceAll(' ', '\u00a0'), phoneLink(phone)],
  ]);
  return {
    pattern: new RegExp(
      `(${[...[...hrefs.keys()].map(escapePattern), `${scheme}${ADDRESS}`].join('|')})`,
      'u',
    ),
    hrefOf: (word) => hrefs.get(word) ?? word,
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

export function termsUrlOf(
  record: Pick<RegistrationRecord, 'agreement'>,
  { edition, siteUrl }: Writing,
): string | undefined {
  const terms = agreedTerms(record, edition);
  return terms && new URL(termsPathOf(edition.facts, terms), siteUrl).href;
}

export function waysToAsk({ office: { email, phone } }: MessageContext): string {
  return `reply to this e-mail, write to ${email} or call ${phone}`;
}

export function daysOf({ facts: { startDate, endDate } }: Edition): string {
  return formatDateRange(startDate, endDate);
}

export function inDollars(cents: number): string {
  return `${formatCents(cents)} (US dollars)`;
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

export function scheduleBlocks({ timeZone, edition: { timetable } }: Writing, now: Date): Passage[] {
  const own = ownZone(timeZone, timetable);
  return [
    heading('The schedule'),
    `${zoneNote(timetable, own)} ${timetable.intro}`,
    describeWayIn(timetable, own === null ? undefined : { timeZone: own, hourCycle: '12' }, now),
    ...timetable.days.flatMap((day) => [subheading(titleOfDay(day)), sessions(day.entries, own)]),
  ];
}

export function sessionsOf(day: ScheduleDay, { timeZone, edition }: Writing, now: Date): Passage[] {
  const { timetable } = edition;
  const own = ownZone(timeZone, timetable);
  const over = day.entries.findLastIndex(({ session }) => session && new Date(session.endsAt) <= now);
  return [
    heading('The sessions'),
    zoneNote({ ...timetable, days: [day] }, own),
    subheading(titleOfDay(day)),
    sessions(day.entries.slice(over + 1), own),
  ];
}

function zoneNote(timetable: Timetable, own: string | null): string {
  const note = scheduleWords.zoneNote(timetable);
  return own === null ? note : `${note} Beside them are your own, in ${formatTimeZone(own)}.`;
}

function titleOfDay({ date, caveat }: ScheduleDay): string {
  return `${formatWeekday(date)}, ${formatMonthAndDay(date)}${caveat ? ` (${caveat.toLowerCase()})` : ''}`;
}

function sessions(entries: readonly ScheduleEntry[], own: string | null): Block {
  return factTable(
    entries.map(({ time: label, note, session }) => {
      if (!session) return { label, value: note };
      const length = formatLength(session.minutes);
      if (own === null) return { label, value: `${note} (${length})` };
      const { clock, day, date } = tellZonedTime(new Date(session.startsAt), own, '12');
      const hers = session.start.startsWith(date) ? clock : `${day}, ${clock}`;
      return { label, value: `${note} (${length})\nfor you ${hers}` };
    }),
  );
}

/** Null for an unknown zone, and for one whose clocks agree with the retreat's at all of its sessions. */
function ownZone(timeZone: string, timetable: Timetable): string | null {
  if (!timeZone || !isKnownTimeZone(timeZone)) return null;
  const moments = timetable.sessions.map(({ startsAt }) => new Date(startsAt));
  return zonesAgree(moments, timetable.timeZone.id, timeZone) ? null : timeZone;
}
