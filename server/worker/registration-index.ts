import { setImmediate as nextTurn } from 'node:timers/promises';
import { type NotNull, sql } from 'kysely';
import type { Database, EntryRow, RegistrationIndexRow } from '#server/database/database.ts';
import type { OfficeNeed } from '#server/letters/office-digest-words.ts';
import type { LetterName } from '#server/letters/table.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { sharedWhileRunning, withTimeout } from '#server/ops/work.ts';
import {
  chargeOf,
  hasPlace,
  isHeld,
  isRestByCheck,
  leftToPay,
  missingAnswers,
  nextInstallment,
  owedByCheck,
  owes,
  owingStates,
  paidBalances,
  type Reading,
  type Register,
  type RegistrationRecord,
  type RegistrationState,
  readRegistrations,
  stateOf,
  sumOfCents,
} from '#server/registration/registration.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import { needsOf } from './office-needs.ts';

/** Whether her deposit is paid, and she has not cancelled; it may be given back, unlike in `hasPlace`. */
function isRegistered(state: RegistrationState): boolean {
  return state === 'settled' || owingStates.includes(state);
}

const COMES_IN: readonly EntryRow['kind'][] = ['card', 'check', 'transfer'];

/** With card fees; what a bank gave back is less than none, what it holds in a dispute is not back yet. */
function movedOf({ ledger, disputes }: RegistrationRecord): Record<'inCents' | 'backCents', number> {
  const reversed = new Set(ledger.entries.map(({ reverses }) => reverses));
  const open = disputes.flatMap(({ isOver, charge }) => (isOver ? [] : charge));
  const sums = { inCents: 0, backCents: 0 };
  for (const { id, kind, payment, cents, feeCents } of ledger.entries) {
    const isHeldByBank = kind === 'dispute' && open.includes(chargeOf(ledger, payment ?? '')?.id ?? '');
    if (kind === 'reversal' || reversed.has(id) || isHeldByBank) continue;
    if (COMES_IN.includes(kind)) sums.inCents += cents + feeCents;
    else sums.backCents -= cents + feeCents;
  }
  return sums;
}

interface Standing {
  record: RegistrationRecord;
  state: RegistrationState;
  dueAt: Date | undefined;
  isLate: boolean;
  needs: readonly OfficeNeed[];
  waivedCents: number;
  backCents: number;
}

/** The filters of the list. */
const groups = {
  all: () => true,
  'needs-you': ({ needs }) => needs.length > 0,
  /** Failed letters are known to the queue only. */
  'letter-failed': () => false,
  bounced: ({ needs }) => needs.includes('bounced'),
  late: ({ isLate }) => isLate,
  registered: ({ state }) => isRegistered(state),
  paid: ({ state }) => state === 'settled',
  due: ({ dueAt, isLate }) => dueAt !== undefined && !isLate,
  cancelled: ({ state, record }) => record.deposit === 'paid' && !isRegistered(state),
  refunded: ({ backCents }) => backCents > 0,
  waived: ({ waivedCents }) => waivedCents > 0,
  'by-check': ({ record, state }) => isRegistered(state) && record.decisions.check !== undefined,
  held: ({ state }) => state === 'held',
  unpaid: ({ record }) => record.deposit !== 'paid',
  unanswered: ({ record }) => hasPlace(record) && missingAnswers(record).length > 0,
  /** Who is on the list of participants. */
  attending: ({ record }) => hasPlace(record),
} as const satisfies Record<string, (standing: Standing) => boolean>;

export type Group = keyof typeof groups;

export const groupNames = Object.keys(groups) as [Group, ...Group[]];

/** None to an unknown group; nor one to all who are registered, if her deposit was given back. */
export function isInGroup(record: RegistrationRecord, group: string, now: Date): boolean {
  const meant = group === 'registered' ? 'attending' : group;
  return listedOf(record, now).groups.includes(` ${meant} `);
}

/** The columns of the index that the office's list shows. */
type Listed = Omit<
  RegistrationIndexRow,
  'registration' | 'edition' | 'version' | 'lookedAt' | 'validUntil' | 'overdue' | 'attention'
>;

export function listedOf(record: RegistrationRecord, now: Date): Listed {
  const { begunAt, paidAt = null, depositCents, decisions, received } = record;
  const paid = paidBalances(record);
  const { inCents, backCents } = movedOf(record);
  const state = stateOf(record, now);
  const isOwing = owes(record);
  const dueAt = isOwing ? nextInstallment(record).dueAt : undefined;
  const waivedCents = isRegistered(state) ? (decisions.waived?.cents ?? 0) : 0;
  const needs = needsOf(record, now).map(({ need }) => need);
  const isLate = dueAt !== undefined && dueAt <= now;
  const standing = { record, state, dueAt, isLate, needs, waivedCents, backCents };
  return {
    state,
    needs: needs.join(' '),
    groups: ` ${groupNames.filter((group) => groups[group](standing)).join(' ')} `,
    begunAt,
    paidAt,
    balancePaidAt:
      (state === 'settled'
        ? (paid.at(-1)?.paidAt ?? received.counting.at(-1)?.on)
        : nextInstallment(record).part === undefined && paid.at(-1)?.paidAt) || null,
    dueAt: dueAt ?? null,
    cancelledAt: decisions.cancel?.writtenAt ?? null,
    depositCents: record.depositDueCents === undefined ? depositCents : 0,
    cardCents: sumOfCents(paid),
    checkCents: sumOfCents(received.counting),
    inCents,
    backCents,
    toPayCents: isOwing ? leftCentsOf(record) : 0,
    waivedCents,
    toSendCents: owedByCheck(record),
  };
}

/** By card including the card fee, or without it if she promised a check. */
function leftCentsOf(record: RegistrationRecord): number {
  const { byCardCents, beforeFeeCents } = leftToPay(record);
  return isRestByCheck(record) ? beforeFeeCents : byCardCents;
}

export const UNREADABLE = {
  needs: '',
  groups: '',
  depositCents: 0,
  cardCents: 0,
  checkCents: 0,
  inCents: 0,
  backCents: 0,
  toPayCents: 0,
  waivedCents: 0,
  toSendCents: 0,
} as const;

/** How many registrations are read together, in a few milliseconds: the same process serves pages or sends letters. */
const TOGETHER = 40;

export async function* readTogether(
  { database }: Register,
  ids: readonly string[],
): AsyncGenerator<ReadonlyMap<string, Reading>> {
  for (let at = 0; at < ids.length; at += TOGETHER) {
    const some = ids.slice(at, at + TOGETHER);
    yield await database.read((transaction) => readRegistrations(transaction, some));
    await nextTurn();
  }
}

export async function findRegistrations(
  register: Register,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RegistrationRecord>> {
  const found = new Map<string, RegistrationRecord>();
  for await (const some of readTogether(register, ids))
    for (const [id, { record }] of some) if (record) found.set(id, record);
  return found;
}

/** The registrations of an edition, or the newest of them, the newest first; without those that cannot be read. */
export async function registrationsOf(
  register: Register,
  { facts }: Edition,
  limit?: number,
): Promise<RegistrationRecord[]> {
  const rows = await register.database.read((transaction) => {
    const all = transaction
      .selectFrom('registrations')
      .select('id')
      .where('edition', '=', facts.id)
      .orderBy('begunAt', 'desc')
      .orderBy('id');
    return (limit === undefined ? all : all.limit(limit)).execute();
  });
  const ids = rows.map(({ id }) => id);
  return [...(await findRegistrations(register, ids)).values()];
}

const TIMEOUT_MS = 1_000;

/** What the worker found when it looked at the registrations last, in numbers, without reading a single one. */
export function countRegister(database: Database) {
  return database.read(async (transaction) => {
    const all = transaction
      .selectFrom('registrationIndex')
      .select(({ fn }) => fn.countAll<number>().as('count'));
    const registrations = await all
      .select(['edition', 'state'])
      .where('state', 'is not', null)
      .$narrowType<{ state: NotNull }>()
      .groupBy(['edition', 'state'])
      .orderBy('edition')
      .orderBy('state')
      .execute();
    const overdue = await all
      .select('overdue as reason')
      .where('overdue', 'is not', null)
      .$narrowType<{ reason: NotNull }>()
      .groupBy('overdue')
      .execute();
    const unreadable = await all.where('attention', 'is not', null).executeTakeFirstOrThrow();
    const taken = await transaction
      .selectFrom('registrations')
      .select(({ fn }) => ['edition', fn.countAll<number>().as('count')])
      .where('standing', '=', 'taken')
      .groupBy('edition')
      .execute();
    // Paid deposits without a registration, that nobody was welcomed for and no person has looked at.
    const unregistered = await transaction
      .selectFrom('payments')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('number', '=', 0)
      .where('status', '=', 'paid')
      .where(
        sql<boolean>`not exists (select 1 from registrations where registrations.id = payments.registration)
          and not exists (select 1 from acts where acts.subject = payments.registration and acts.kind = ${'looked-at'})
          and not exists (select 1 from letters where letters.subject = payments.registration and letters.kind = ${'welcome' satisfies LetterName}
            and letters.state <> 'owed')`,
      )
      .executeTakeFirstOrThrow();
    return {
      attention: unreadable.count + unregistered.count,
      registrations,
      overdue,
      /** How many more people have paid than there are places, of the editions with a number of places. */
      overbooked: editions.flatMap(({ facts: { id, places } }) => {
        const count = taken.find(({ edition }) => edition === id)?.count ?? 0;
        return places === undefined ? [] : [{ edition: id, count: Math.max(0, count - places) }];
      }),
    };
  });
}

/** What the worker found when it looked at the registrations last, whichever worker it was. */
export function reportRegister(metrics: Metrics, database: Database): void {
  const read = sharedWhileRunning(() =>
    withTimeout(countRegister(database), TIMEOUT_MS).catch(() => undefined),
  );
  metrics.gauge('register_held', 'Whether the register is held: 1 while nothing goes out', async () =>
    Number(await withTimeout(database.read(isHeld), TIMEOUT_MS).catch(() => Number.NaN)),
  );
  metrics.gauge(
    'payments_needing_attention',
    'Payments that a person must look at: paid with another amount than expected, unknown to this release, or unreadable',
    async () => (await read())?.attention ?? Number.NaN,
  );
  metrics.readCounts(
    'balances_overdue',
    'Balances whose moment has come and that are not paid, by what keeps them from being charged',
    ['reason'],
    async () => (await read())?.overdue,
  );
  metrics.readCounts(
    'places_overbooked',
    'How many more people have paid for a place than there are places, by edition',
    ['edition'],
    async () => (await read())?.overbooked,
  );
  metrics.readCounts(
    'registrations',
    'Registrations by edition and state',
    ['edition', 'state'],
    async () => (await read())?.registrations,
  );
}
