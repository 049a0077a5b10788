import type { OfficeItem } from '#server/mail/job-facts.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { type RegistrationState, stateOf } from '#server/payments/registration-state.ts';
import { needsOf } from '#server/register/office-digest.ts';
import { hasPlace, type Moved, movedOf, type Open, openOf } from './moves-of-money.ts';
import { type Searchable, searchableOf } from './search.ts';

/** What is worked out of a registration once, whatever the time. */
export interface Entry extends Moved {
  record: RegistrationRecord;
  searchable: Searchable;
}

export function entryOf(record: RegistrationRecord): Entry {
  return { ...movedOf(record), record, searchable: searchableOf(record) };
}

/** A registration as the office's list shows it at a moment. */
export interface Row extends Entry, Open {
  state: RegistrationState;
  /** Her balance is due, and not paid. */
  isLate: boolean;
  /** What the office has to do, the most urgent first. */
  needs: readonly OfficeItem[];
}

export function rowOf(entry: Entry, now: Date): Row {
  const { record } = entry;
  const state = stateOf(record, now);
  const open = openOf(record, state);
  const isLate = open.dueAt !== undefined && open.dueAt <= now;
  return { ...entry, ...open, state, isLate, needs: needsOf(record, now) };
}

/** What the list can be narrowed to. */
const groups = {
  all: () => true,
  'needs-you': ({ needs }: Row) => needs.length > 0,
  'letter-failed': ({ needs }: Row) => needs.some(({ need }) => need === 'letter-failed'),
  late: ({ isLate }: Row) => isLate,
  registered: ({ state }: Row) => hasPlace(state),
  paid: ({ state }: Row) => state === 'settled',
  due: ({ dueAt, isLate }: Row) => dueAt !== undefined && !isLate,
  cancelled: ({ state, record }: Row) => record.deposit === 'paid' && !hasPlace(state),
  refunded: ({ backCents }: Row) => backCents > 0,
  waived: ({ waivedCents }: Row) => waivedCents > 0,
  'by-check': ({ record, state }: Row) => hasPlace(state) && record.decisions.check !== undefined,
  unpaid: ({ record }: Row) => record.deposit !== 'paid',
} as const satisfies Record<string, (row: Row) => boolean>;

export type Group = keyof typeof groups;

export const groupNames = Object.keys(groups) as [Group, ...Group[]];

export function isIn(group: Group, row: Row): boolean {
  return groups[group](row);
}
