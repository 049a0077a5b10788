import { addDays } from '#shared/local-time.ts';
import type { LocalClock } from './local-clock.ts';
import type { Row } from './row.ts';

/** A number of registrations, and a sum of their money in US cents. */
export interface Figure {
  count: number;
  cents: number;
}

/**
 * Registrations and money at a glance, in US cents with card fees. The figures add up: the count of
 * `registered` is that of `paid`, `due` and `late` together; the sum of `cameIn` is the money from
 * `registered`, from those who cancelled, and of second payments; and `cameIn` less `wentBack` is what the office has.
 */
export interface Totals {
  /** Registrants with a place: deposit paid, not cancelled. The sum is what came in from them. */
  registered: Figure;
  /** Registrants with a place and nothing left to pay. The sum is what came in from them. */
  paid: Figure;
  /** Registrants whose balance is due later. The sum is that balance, see `Open.toPayCents`. */
  due: Figure;
  /** Registrants whose balance should have been paid by now. The sum is that balance. */
  late: Figure;
  /**
   * Registrants from whom money came in, including those who cancelled later: deposits, balances by card,
   * checks.
   */
  cameIn: Figure;
  /** The part of `cameIn` that came by check. */
  byCheck: Figure;
  /** Registrants who got money back, by card, check or dispute; see `movesOf`. */
  wentBack: Figure;
  /** Registrants to whom the office owes a check. */
  toSend: Figure;
  /** Registrants with a place whose tuition was waived in part. The sum is before the card fee. */
  waived: Figure;
  /** Registrants who promised a check that has not come. The sum is their balance. */
  checkPromised: Figure;
}

export function totalsOf(rows: readonly Row[]): Totals {
  const figure = (): Figure => ({ count: 0, cents: 0 });
  const totals: Totals = {
    ...{ registered: figure(), paid: figure(), due: figure(), late: figure() },
    ...{ cameIn: figure(), byCheck: figure(), wentBack: figure(), toSend: figure(), waived: figure() },
    checkPromised: figure(),
  };
  const add = (name: keyof Totals, cents: number): void => {
    totals[name].count += 1;
    totals[name].cents += cents;
  };
  for (const row of rows) {
    const { record, groups, inCents, backCents, toSendCents, toPayCents, waivedCents } = row;
    const { check } = record.decisions;
    if (groups.includes('registered')) add('registered', inCents);
    if (groups.includes('paid')) add('paid', inCents);
    if (groups.includes('due')) add('due', toPayCents);
    if (groups.includes('late')) add('late', toPayCents);
    if (row.dueAt && check) add('checkPromised', toPayCents);
    if (inCents > 0) add('cameIn', inCents);
    if (check?.receivedAt) add('byCheck', check.cents);
    if (backCents > 0) add('wentBack', backCents);
    if (toSendCents > 0) add('toSend', toSendCents);
    if (waivedCents > 0) add('waived', waivedCents);
  }
  return totals;
}

/** What happened on a day of the retreat's time zone. */
export interface DayFigures {
  /** ISO date. */
  date: string;
  /** Deposits that were paid. */
  registered: number;
  /** US cents. */
  inCents: number;
  backCents: number;
}

/** More days than a picture shows. */
const MOST_DAYS = 92;

/** Registrations and money by day, up to a moment. */
export interface Days {
  /**
   * Consecutive days. The last one is the day of the given moment or of the last event; days without events
   * are zero.
   */
  days: readonly DayFigures[];
  /** What happened before the first of these days. */
  before: Omit<DayFigures, 'date'>;
}

/** The figures of each day; their sums are `cameIn` and `wentBack` of the totals. */
export function daysOf(rows: readonly Row[], now: Date, clock: LocalClock): Days {
  const found = new Map<string, DayFigures>();
  const on = (date: string): DayFigures => {
    const known = found.get(date) ?? { date, ...NOTHING };
    found.set(date, known);
    return known;
  };
  for (const { paidOn, moves } of rows) {
    if (paidOn !== undefined) on(paidOn).registered += 1;
    for (const { way, cents, on: date } of moves) {
      const day = on(date);
      if (way === 'in') day.inCents += cents;
      else day.backCents += cents;
    }
  }
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
  for (const { registered, inCents, backCents } of days) {
    sum.registered += registered;
    sum.inCents += inCents;
    sum.backCents += backCents;
  }
  return sum;
}
