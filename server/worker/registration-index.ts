import { setImmediate as nextTurn } from 'node:timers/promises';
import * as v from 'valibot';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import type { EntryRow, RegistrationIndexRow, RegistrationRow } from '#server/database/schema.ts';
import { causeOf } from '#server/http/app-error.ts';
import { missingAnswers } from '#server/registration/answers.ts';
import {
  isRestByCheck,
  leftToPay,
  nextInstallment,
  owedByCheck,
  owes,
  paidBalances,
} from '#server/registration/balance.ts';
import { chargeStop } from '#server/registration/charges.ts';
import { chargeOf, sumOfCents } from '#server/registration/ledger.ts';
import { type Reading, readRegistrations } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import {
  hasPlace,
  owingStates,
  type RegistrationState,
  stateOf,
} from '#server/registration/registration-state.ts';
import { localClock } from '#server/service/local-clock.ts';
import type { Facts } from '#shared/content/edition.ts';
import type { OfficeItem } from '#shared/content/office-digest-words.ts';
import { type Due, dueOf } from './due.ts';
import { needsOf } from './office-needs.ts';
import { WAITING } from './register-counts.ts';

/** Money that came from a registrant, or went back to her. */
export interface Move {
  way: 'in' | 'back';
  /** US cents. */
  cents: number;
  at: Date;
}

/**
 * The money that has moved for a registration and did not come back, with card fees; what a bank gave back is less than
 * none, and what it holds while a dispute is open has not gone back.
 */
export function movesOf({ ledger, disputes }: RegistrationRecord): Move[] {
  const { entries } = ledger;
  const reversed = new Set(entries.map(({ reverses }) => reverses));
  const open = disputes.flatMap(({ isOver, charge }) => (isOver ? [] : charge));
  const isHeldByBank = ({ kind, payment }: EntryRow) =>
    kind === 'dispute' && payment !== null && open.includes(chargeOf(ledger, payment)?.id ?? '');
  return entries
    .filter((entry) => entry.kind !== 'reversal' && !reversed.has(entry.id) && !isHeldByBank(entry))
    .map(({ kind, cents, feeCents, movedAt: at }) => {
      const way = COMES_IN.includes(kind) ? 'in' : 'back';
      return { way, cents: way === 'in' ? cents + feeCents : 0 - cents - feeCents, at };
    });
}

const COMES_IN: readonly EntryRow['kind'][] = ['card', 'check', 'transfer'];

/** The total that came in or went back, in US cents. */
export function sumOfWay(moves: readonly Pick<Move, 'way' | 'cents'>[], wanted: Move['way']): number {
  return moves.reduce((sum, { way, cents }) => (way === wanted ? sum + cents : sum), 0);
}

type Open = ReturnType<typeof openOf>;

/**
 * What is open for a registration in a state, in US cents: what is left to pay, by card including the card fee, or without
 * the fee if she promised a check; when it is due, if anything is left to pay; and the waived part of the tuition, 0 if she
 * cancelled.
 */
function openOf(record: RegistrationRecord, state: RegistrationState) {
  const waivedCents = isRegistered(state) ? (record.decisions.waived?.cents ?? 0) : 0;
  if (!owes(record)) return { toPayCents: 0, dueAt: undefined, waivedCents };
  const { byCardCents, beforeFeeCents } = leftToPay(record);
  const toPayCents = isRestByCheck(record) ? beforeFeeCents : byCardCents;
  return { toPayCents, dueAt: nextInstallment(record).dueAt, waivedCents };
}

/** Whether her deposit is paid, and she has not cancelled; it may be given back, unlike in `hasPlace`. */
function isRegistered(state: RegistrationState): boolean {
  return state === 'settled' || owingStates.includes(state);
}

/** The column `days` of the index: what happened on days of the retreat's time zone. */
export const daysSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.object({
      /** ISO date. */
      date: v.string(),
      /** Deposits that were paid. */
      registered: v.number(),
      /** US cents. */
      inCents: v.number(),
      backCents: v.number(),
    }),
  ),
);
export type DayFigures = v.InferOutput<typeof daysSchema>[number];

function daysOf({ paidAt, edition }: RegistrationRecord, moves: readonly Move[]): DayFigures[] {
  const { dateOf } = localClock(edition.timetable.timeZone.id);
  const nothing = { registered: 0, inCents: 0, backCents: 0 };
  return [
    ...(paidAt ? [{ ...nothing, date: dateOf(paidAt), registered: 1 }] : []),
    ...moves.map(({ way, cents, at }) => ({ ...nothing, date: dateOf(at), [`${way}Cents`]: cents })),
  ];
}

/** What the groups of the list depend on. */
interface Standing {
  record: RegistrationRecord;
  state: RegistrationState;
  open: Open;
  isLate: boolean;
  needs: readonly OfficeItem[];
  backCents: number;
}

/** The filters of the list. */
const groups = {
  all: () => true,
  'needs-you': ({ needs }) => needs.length > 0,
  'call-back': ({ needs }) => needs.some(({ need }) => need === 'call-back'),
  /** Failed letters are known to the queue only. */
  'letter-failed': () => false,
  bounced: ({ needs }) => needs.some(({ need }) => need === 'bounced'),
  late: ({ isLate }) => isLate,
  registered: ({ state }) => isRegistered(state),
  paid: ({ state }) => state === 'settled',
  due: ({ open, isLate }) => open.dueAt !== undefined && !isLate,
  cancelled: ({ state, record }) => record.deposit === 'paid' && !isRegistered(state),
  refunded: ({ backCents }) => backCents > 0,
  waived: ({ open }) => open.waivedCents > 0,
  'by-check': ({ record, state }) => isRegistered(state) && record.decisions.check !== undefined,
  held: ({ state }) => state === 'held',
  unpaid: ({ record }) => record.deposit !== 'paid',
  unanswered: ({ record }) => hasPlace(record) && missingAnswers(record).length > 0,
  /** Who is on the list of participants: no filter of its own. */
  attending: ({ record }) => hasPlace(record),
} as const satisfies Record<string, (standing: Standing) => boolean>;

export type Group = keyof typeof groups;

export const groupNames = Object.keys(groups) as [Group, ...Group[]];

/**
 * Whether a letter to a group of the list is meant for a registration at a moment; none to a group that this release does
 * not know. One to all who are registered is not meant for her whose deposit was given back.
 */
export function isInGroup(record: RegistrationRecord, group: string, now: Date): boolean {
  const meant = group === 'registered' ? 'attending' : group;
  return listedOf(record, now).groups.includes(` ${meant} `);
}

/** The columns of the index that the office's list shows. */
export type Listed = Omit<
  RegistrationIndexRow,
  'registration' | 'edition' | 'version' | 'lookedAt' | 'validUntil' | 'overdue' | 'attention'
>;

/** A registration as the office's list shows it at a moment. */
export function listedOf(record: RegistrationRecord, now: Date): Listed {
  const { begunAt, paidAt, depositCents, decisions, disputed, received } = record;
  const paid = paidBalances(record);
  const moves = movesOf(record);
  const state = stateOf(record, now);
  const open = openOf(record, state);
  const isLate = open.dueAt !== undefined && open.dueAt <= now;
  const needs = needsOf(record, now);
  const backCents = sumOfWay(moves, 'back');
  const standing = { record, state, open, isLate, needs, backCents };
  return {
    state,
    needs: needs.map(({ need }) => need).join(' '),
    groups: ` ${groupNames.filter((group) => groups[group](standing)).join(' ')} `,
    begunAt,
    paidAt: paidAt ?? null,
    balancePaidAt:
      (state === 'settled'
        ? (paid.at(-1)?.paidAt ?? received.counting.at(-1)?.on)
        : nextInstallment(record).part === undefined && paid.at(-1)?.paidAt) || null,
    dueAt: open.dueAt ?? null,
    cancelledAt: decisions.cancel?.writtenAt ?? null,
    depositCents: record.depositDueCents === undefined ? depositCents : 0,
    cardCents: sumOfCents(paid),
    checkCents: received.counting.reduce((sum, { cents }) => sum + cents, 0),
    inCents: sumOfWay(moves, 'in'),
    backCents,
    toPayCents: open.toPayCents,
    waivedCents: open.waivedCents,
    toSendCents: owedByCheck(record),
    disputed: disputed ? 1 : 0,
    days: JSON.stringify(daysOf(record, moves)),
  };
}

/** How many registrations are looked at together, in a few milliseconds: the same process serves pages or sends letters. */
export const TOGETHER = 40;

/** What is found when a registration is looked at at a moment. */
export interface Found {
  row: Pick<RegistrationRow, 'id' | 'edition' | 'version' | 'begunAt'>;
  due: Pick<Due, 'registration' | 'attention' | 'next'>;
}

/** Writes rows of the index. They are made before the transaction, which would keep all other writers waiting. */
export async function writeIndex(
  transaction: Transaction,
  rows: readonly RegistrationIndexRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ registration }) => registration);
  await transaction.deleteFrom('registrationIndex').where('registration', 'in', ids).execute();
  await transaction.insertInto('registrationIndex').values(rows).execute();
}

/** What is known of a registration that cannot be read. */
export const UNREADABLE = {
  state: null,
  overdue: null,
  needs: '',
  groups: '',
  paidAt: null,
  balancePaidAt: null,
  dueAt: null,
  cancelledAt: null,
  depositCents: 0,
  cardCents: 0,
  checkCents: 0,
  inCents: 0,
  backCents: 0,
  toPayCents: 0,
  waivedCents: 0,
  toSendCents: 0,
  disputed: 0,
  days: '[]',
} as const;

/** The row of the index that says what was found of a registration. */
export function indexRow({ row, due }: Found, now: Date): RegistrationIndexRow {
  const { id, edition, version, begunAt } = row;
  const { registration, attention = null, next } = due;
  const common = { registration: id, edition, version, begunAt, lookedAt: now };
  if (!registration) return { ...UNREADABLE, ...common, attention, validUntil: null };
  try {
    const stop = chargeStop(registration, now) ?? WAITING;
    return {
      ...common,
      attention,
      validUntil: next ?? null,
      overdue: stop === 'not-due' ? null : stop,
      ...listedOf(registration, now),
    };
  } catch (error) {
    // One that cannot be listed keeps nothing from others.
    return { ...UNREADABLE, ...common, attention: attention ?? causeOf(error).message, validUntil: null };
  }
}

/** Has the index of an edition say what is true now: the worker may not have looked yet at what has changed. */
export async function refreshIndex(database: Database, { id }: Pick<Facts, 'id'>, now: Date): Promise<void> {
  const outdated = await database.read((transaction) => findOutdated(transaction, id, now));
  for (let at = 0; at < outdated.length; at += TOGETHER) {
    const some = outdated.slice(at, at + TOGETHER);
    const all = await database.read((transaction) => readRegistrations(transaction, some));
    const rows = [...all.values()].map((reading) => indexRow(foundOf(reading, now), now));
    await database.write((transaction) => writeIndex(transaction, rows));
    await nextTurn();
  }
}

const foundOf = (reading: Reading, now: Date): Found => ({
  row: reading.row,
  due: dueOf(reading, { now, isOver: () => false }),
});

/** The registrations of an edition of which the index does not say what is true at a moment. */
async function findOutdated(transaction: Transaction, edition: string, now: Date): Promise<string[]> {
  const rows = await transaction
    .selectFrom('registrations')
    .leftJoin('registrationIndex', 'registrationIndex.registration', 'registrations.id')
    .select('registrations.id')
    .where('registrations.edition', '=', edition)
    .where(({ eb, or }) =>
      or([
        eb('registrationIndex.version', 'is', null),
        eb('registrationIndex.version', '<', eb.ref('registrations.version')),
        eb('registrationIndex.validUntil', '<=', now),
        // The clock was ahead then.
        eb('registrationIndex.lookedAt', '>', now),
      ]),
    )
    .execute();
  return rows.map(({ id }) => id);
}
