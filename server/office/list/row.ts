import type { OfficeItem } from '#server/mail/job-facts.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { owedByCheck, type RegistrationState, stateOf } from '#server/payments/registration-state.ts';
import { needsOf } from '#server/register/office-digest.ts';
import type { LocalClock } from './local-clock.ts';
import { hasPlace, type Move, movesOf, type Open, openOf, sumOfWay } from './moves-of-money.ts';
import { type Searchable, searchableOf } from './search.ts';

/** What is computed from a registration once, because it does not depend on the time. */
export interface Entry {
  record: RegistrationRecord;
  searchable: Searchable;
  /** The day on which the deposit was paid, in the retreat's time zone, see `LocalClock.dateOf`. */
  paidOn?: string;
  moves: readonly DatedMove[];
  /** US cents that came in. */
  inCents: number;
  backCents: number;
  /** What the office still has to send her by check. */
  toSendCents: number;
}

interface DatedMove extends Omit<Move, 'at'> {
  on: string;
}

export function entryOf(record: RegistrationRecord, { dateOf }: LocalClock): Entry {
  const moves = movesOf(record).map(({ way, cents, at }) => ({ way, cents, on: dateOf(at) }));
  return {
    record,
    searchable: searchableOf(record),
    ...(record.paidAt && { paidOn: dateOf(record.paidAt) }),
    moves,
    inCents: sumOfWay(moves, 'in'),
    backCents: sumOfWay(moves, 'back'),
    toSendCents: owedByCheck(record),
  };
}

/** A registration as the office's list shows it at a moment. */
export interface Row extends Standing {
  /** The groups of the list that it belongs to. */
  groups: readonly Group[];
}

interface Standing extends Entry, Open {
  state: RegistrationState;
  /** Her balance is due and not paid. */
  isLate: boolean;
  /** What the office has to do, the most urgent first. */
  needs: readonly OfficeItem[];
}

export function rowOf(entry: Entry, now: Date): Row {
  const { record } = entry;
  const state = stateOf(record, now);
  const open = openOf(record, state);
  const isLate = open.dueAt !== undefined && open.dueAt <= now;
  return inGroups({ ...entry, ...open, state, isLate, needs: needsOf(record, now) });
}

/** The same row with more for the office to do. */
export function needing(row: Row, more: readonly OfficeItem[]): Row {
  return inGroups({ ...row, needs: [...row.needs, ...more] });
}

function inGroups(standing: Standing): Row {
  return { ...standing, groups: groupNames.filter((group) => groups[group](standing)) };
}

/** The filters of the list. */
const groups = {
  all: () => true,
  'needs-you': ({ needs }: Standing) => needs.length > 0,
  'letter-failed': ({ needs }: Standing) => needs.some(({ need }) => need === 'letter-failed'),
  bounced: ({ needs }: Standing) => needs.some(({ need }) => need === 'bounced' || need === 'complained'),
  late: ({ isLate }: Standing) => isLate,
  registered: ({ state }: Standing) => hasPlace(state),
  paid: ({ state }: Standing) => state === 'settled',
  due: ({ dueAt, isLate }: Standing) => dueAt !== undefined && !isLate,
  cancelled: ({ state, record }: Standing) =>
    record.deposit === 'paid' && state !== 'second-payment' && !hasPlace(state),
  refunded: ({ backCents }: Standing) => backCents > 0,
  waived: ({ waivedCents }: Standing) => waivedCents > 0,
  'by-check': ({ record, state }: Standing) => hasPlace(state) && record.decisions.check !== undefined,
  unpaid: ({ record }: Standing) => record.deposit !== 'paid',
} as const satisfies Record<string, (standing: Standing) => boolean>;

export type Group = keyof typeof groups;

export const groupNames = Object.keys(groups) as [Group, ...Group[]];
