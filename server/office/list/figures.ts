import { addDays } from '#shared/local-time.ts';
import type { LocalClock } from './local-clock.ts';
import type { Row } from './row.ts';

/** So many registrations, and so much money of theirs in US cents. */
export interface Figure {
  count: number;
  cents: number;
}

/**
 * Registrations and money at a glance, in US cents with card fees. They add up: `registered` is `paid`, `due` and `late`
 * together, in number; what `registered` brought in, and those who cancelled, is `cameIn`; and that less `wentBack` is what
 * the office has.
 */
export interface Totals {
  /** Who has a place: deposit paid, not cancelled. The sum is what came in from them. */
  registered: Figure;
  /** Who has a place and nothing left to pay. The sum is what came in from them. */
  paid: Figure;
  /** Whose balance is due later. The sum is that balance, see `Open.toPayCents`. */
  due: Figure;
  /** Whose balance should have been paid by now. The sum likewise. */
  late: Figure;
  /** From whom anything came in, also from those who cancelled since: deposits, balances by card, checks. */
  cameIn: Figure;
  /** What of it came by check. */
  byCheck: Figure;
  /** Who was given anything back, by card, check or dispute; see `movesOf`. */
  wentBack: Figure;
  /** Who is to get a check from the office. */
  toSend: Figure;
  /** Who has a place and to whom tuition was waived. The sum is before the card fee. */
  waived: Figure;
  /** Who promised a check that has not come. The sum is her balance. */
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

/** What came about on a day of the retreat's time zone. */
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
  /** Day after day, the last one that of the moment or of the last thing that came about; those without any are zero. */
  days: readonly DayFigures[];
  /** What came about before the first of them. */
  before: Omit<DayFigures, 'date'>;
}

/** Their sums are `cameIn` and `wentBack` of the totals. */
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
