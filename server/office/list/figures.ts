import * as v from 'valibot';
import type { Transaction } from '#server/database/engine.ts';
import { type DayFigures, daysSchema, type Group } from '#server/register/registration-index.ts';
import type { LocalClock } from '#server/service/local-clock.ts';
import type { Edition } from '#shared/content/edition.ts';
import { addDays } from '#shared/local-time.ts';
import type { Sum, Tally } from './find-listed.ts';

/** A number of registrations, and a sum of their money in US cents. */
export interface Figure {
  count: number;
  cents: number;
}

export type Totals = ReturnType<typeof totalsOf>;

/**
 * Registrations and money at a glance, in US cents with card fees. The figures add up: the count of `registered` is
 * that of `paid`, `due` and `late` together; the sum of `cameIn` is the money from `registered`, from those who
 * cancelled, and of second payments; and `cameIn` less `wentBack` is what the office has.
 */
export function totalsOf(tallies: readonly Tally[]) {
  const figure = (of: Sum, isCounted: (tally: Tally) => boolean): Figure => {
    const total: Figure = { count: 0, cents: 0 };
    for (const tally of tallies.filter(isCounted)) {
      total.count += tally.count;
      total.cents += tally.count * tally[of];
    }
    return total;
  };
  const inGroup = (group: Group, of: Sum) => figure(of, ({ groups }) => groups.includes(group));
  const anyOf = (of: Sum) => figure(of, (tally) => tally[of] > 0);
  return {
    /** Registrants with a place: deposit paid, not cancelled. The sum is what came in from them. */
    registered: inGroup('registered', 'inCents'),
    /** Registrants with a place and nothing left to pay. The sum is what came in from them. */
    paid: inGroup('paid', 'inCents'),
    /** Registrants whose balance is due later. The sum is that balance. */
    due: inGroup('due', 'toPayCents'),
    /** Registrants whose balance should have been paid by now. The sum is that balance. */
    late: inGroup('late', 'toPayCents'),
    /** Registrants from whom money came in, including those who cancelled later: deposits, balances by card, checks. */
    cameIn: anyOf('inCents'),
    /** The part of `cameIn` that came by check. */
    byCheck: anyOf('checkCents'),
    /** Registrants who got money back, by card, check or dispute; see `movesOf`. */
    wentBack: anyOf('backCents'),
    /** Registrants to whom the office owes a check. */
    toSend: anyOf('toSendCents'),
    /** Registrants with a place whose tuition was waived in part. The sum is before the card fee. */
    waived: anyOf('waivedCents'),
    /** Registrants who promised a check that has not come. The sum is their balance. */
    checkPromised: figure(
      'toPayCents',
      ({ groups, toPayCents }) => toPayCents > 0 && groups.includes('by-check'),
    ),
  };
}

/** More days than a picture shows. */
const MOST_DAYS = 92;

/** Registrations and money by day, up to a moment. */
export interface Days {
  /**
   * Consecutive days. The last one is the day of the given moment or of the last event; days without events are zero.
   */
  days: readonly DayFigures[];
  /** What happened before the first of these days. */
  before: Omit<DayFigures, 'date'>;
}

/** What happened on which days, each with the number of registrations of which the same is true. */
export type TalliedDays = readonly { days: readonly DayFigures[]; count: number }[];

export async function readDays(transaction: Transaction, { facts }: Edition): Promise<TalliedDays> {
  const rows = await transaction
    .selectFrom('registrationIndex')
    .select(({ fn }) => ['days', fn.countAll<number>().as('count')])
    .where('edition', '=', facts.id)
    .groupBy('days')
    .execute();
  return rows.map(({ days, count }) => ({ days: v.parse(daysSchema, days), count }));
}

/** The figures of each day; their sums are `cameIn` and `wentBack` of the totals. */
export function daysOf(tallied: TalliedDays, now: Date, clock: LocalClock): Days {
  const found = new Map<string, DayFigures>();
  const on = (date: string): DayFigures => {
    const known = found.get(date) ?? { date, ...NOTHING };
    found.set(date, known);
    return known;
  };
  for (const { days, count } of tallied) for (const day of days) addTo(on(day.date), day, count);
  const dates = [...found.keys()].toSorted();
  const first = dates.at(0);
  if (first === undefined) return { days: [], before: NOTHING };
  const last = [clock.dateOf(now), dates.at(-1) ?? first].toSorted().at(-1) ?? first;
  const start = [first, addDays(last, 1 - MOST_DAYS)].toSorted().at(-1) ?? first;
  const days: DayFigures[] = [];
  for (let date = start; date <= last; date = addDays(date, 1)) days.push(on(date));
  const earlier = dates.filter((date) => date < start).map(on);
  return { days, before: sumOfDays(earlier) };
}

const NOTHING = { registered: 0, inCents: 0, backCents: 0 };

export function sumOfDays(days: readonly Omit<DayFigures, 'date'>[]): Omit<DayFigures, 'date'> {
  const sum = { ...NOTHING };
  for (const day of days) addTo(sum, day);
  return sum;
}

function addTo(sum: typeof NOTHING, { registered, inCents, backCents }: typeof NOTHING, times = 1): void {
  sum.registered += times * registered;
  sum.inCents += times * inCents;
  sum.backCents += times * backCents;
}
