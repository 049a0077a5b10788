import { edition } from '#shared/content/compiled/on-sale.ts';
import type { Terms } from '#shared/content/edition.ts';

export const MINUTE_MS = 60 * 1000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * The facts on which the lives of an edition depend: moments in milliseconds since the epoch, sums in US
 * cents. Sums, and the moments of the next edition, are literals, because the product calculates them.
 */
export interface EditionLived {
  id: string;
  title: string;
  packageId: string;
  terms: Pick<Terms, 'version' | 'digest'>;
  timeZone: string;
  moments: Readonly<Record<EditionMoment, number>>;
  retreat: RetreatLived;
  /**
   * A registrant who pays her deposit less than this long before the charge is charged this long after her
   * deposit.
   */
  lateMs: number;
  depositCents: number;
  balanceCents: number;
  checkCents: number;
  /** The refund of a balance that was paid by card, when she cancels in time. */
  backCents: number;
}

export type EditionMoment = 'opens' | 'notice' | 'reminder' | 'charge' | 'refundsEnd' | 'closes' | 'ends';

/** When letters about the retreat itself are true. */
export interface RetreatLived {
  testSession: Span;
  /** The letters with the way in: of the day before the retreat, and of each day of the retreat. */
  wayIn: readonly (Span & {
    /** The day, as the subject of the letter names it. */
    day: string;
  })[];
  /** When recordings are there at the earliest; absent where nothing is recorded. */
  recordings?: number;
}

/** From a moment on and up to another, in business time. */
export interface Span {
  from: number;
  until: number;
}

const { facts, terms, timetable, tryOutFrom } = edition;

export const onSale: EditionLived = {
  id: facts.id,
  title: facts.title,
  packageId: facts.retreatPackage.id,
  terms,
  timeZone: timetable.timeZone.id,
  moments: {
    opens: Date.parse(tryOutFrom),
    notice: Date.parse(facts.balance.noticeAt),
    reminder: Date.parse(facts.balance.reminderAt),
    charge: Date.parse(facts.balance.chargeAt),
    refundsEnd: Date.parse(facts.balance.refundsEndAt),
    closes: Date.parse(facts.registration.closes),
    ends: Date.parse(facts.endsAt),
  },
  retreat: retreatOnSale(),
  lateMs: 7 * DAY_MS,
  depositCents: 72_100,
  balanceCents: 72_625,
  checkCents: 70_000,
  backCents: 70_000,
};

/** The edition after it. In its zone the clocks change on March 29, between its reminder and its charge. */
export const nextEdition: Omit<EditionLived, 'terms'> = {
  id: 'april-2026',
  title: 'The Harbor Retreat',
  packageId: 'harbor_april_2026',
  timeZone: 'Europe/Lisbon',
  moments: {
    opens: Date.parse('2025-12-03T09:00+00:00'),
    notice: Date.parse('2026-03-19T11:30+00:00'),
    reminder: Date.parse('2026-03-28T11:30+00:00'),
    charge: Date.parse('2026-04-02T11:30+01:00'),
    refundsEnd: Date.parse('2026-04-03T00:00+01:00'),
    closes: Date.parse('2026-04-17T20:30+01:00'),
    ends: Date.parse('2026-04-23T00:00+01:00'),
  },
  retreat: {
    testSession: span('2026-04-11T06:30+01:00', '2026-04-12T19:25+01:00'),
    wayIn: [
      eveSpan('2026-04-17T06:30+01:00', '2026-04-18T06:30+01:00'),
      daySpan('2026-04-18T06:30+01:00', '2026-04-18T20:45+01:00'),
      daySpan('2026-04-19T06:30+01:00', '2026-04-19T21:15+01:00'),
      daySpan('2026-04-20T06:30+01:00', '2026-04-20T17:00+01:00'),
      daySpan('2026-04-21T06:30+01:00', '2026-04-21T21:15+01:00'),
      daySpan('2026-04-22T06:30+01:00', '2026-04-22T12:00+01:00'),
    ],
    recordings: Date.parse('2026-04-25T20:15+01:00'),
  },
  lateMs: 4 * DAY_MS,
  // Its terms refund the card fee.
  depositCents: 40_600,
  balanceCents: 80_777,
  checkCents: 78_500,
  backCents: 80_777,
};

/**
 * From the edition's data: the letter of a day is true until the day's last session ends, the letter of the
 * day before the retreat until the next letter.
 */
function retreatOnSale(): RetreatLived {
  const { letters, sessions, testSession } = timetable;
  const [eve, first, ...later] = letters.wayIn;
  if (!eve || !first) throw new Error('The edition on sale has no days');
  const days = [first, ...later].map(({ day, at }) =>
    daySpan(at, sessions.findLast(({ start }) => start.startsWith(day))?.endsAt ?? at),
  );
  return {
    testSession: span(letters.testSession, testSession.endsAt),
    wayIn: [eveSpan(eve.at, first.at), ...days],
    ...(letters.recordings !== undefined && { recordings: Date.parse(letters.recordings) }),
  };
}

/** From two ISO moments with their UTC offsets. */
function span(from: string, until: string): Span {
  return { from: Date.parse(from), until: Date.parse(until) };
}

/** The span of a letter that names the day of the first moment. */
function daySpan(from: string, until: string): RetreatLived['wayIn'][number] {
  return { day: `: ${longDay(from)}`, ...span(from, until) };
}

/** The span of the letter on the day before the retreat, which names the day of the second moment. */
function eveSpan(from: string, until: string): RetreatLived['wayIn'][number] {
  return { day: `: we begin on ${longDay(until)}`, ...span(from, until) };
}

function longDay(moment: string): string {
  return new Date(`${moment.slice(0, 10)}T00:00Z`).toLocaleDateString('en-US', {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    timeZone: 'UTC',
  });
}
