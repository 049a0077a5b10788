import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import type { Moment, RegistrationIndexRow, RegistrationRow } from '#server/database/schema.ts';
import { causeOf } from '#server/http/app-error.ts';
import { type Due, dueOf } from '#server/payments/due.ts';
import { chargeStop } from '#server/record/charge-plan.ts';
import { type OnRecord, readAllOnRecord } from '#server/record/on-record.ts';
import type { Facts } from '#shared/content/edition.ts';
import { listedOf } from './listed.ts';
import { WAITING } from './register-counts.ts';

/** How many registrations are looked at together, in a few milliseconds: the same process serves pages or sends letters. */
export const TOGETHER = 40;

/** What is found when a registration is looked at at a moment. */
export interface Found {
  row: Pick<RegistrationRow, 'edition' | 'version' | 'begunAt'>;
  due: Pick<Due, 'registration' | 'attention' | 'next'>;
}

/** Writes what was found of registrations, by their deposits. */
export async function writeIndex(
  transaction: Transaction,
  found: ReadonlyMap<string, Found>,
  now: Date,
): Promise<void> {
  const rows = [...found].map(([deposit, one]) => ({ deposit, ...indexed(one, now) }));
  if (rows.length === 0) return;
  await transaction
    .deleteFrom('registrationIndex')
    .where('deposit', 'in', [...found.keys()])
    .execute();
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

function indexed({ row, due }: Found, now: Date): Omit<RegistrationIndexRow, 'deposit'> {
  const { edition, version, begunAt } = row;
  const { registration, attention = null, next } = due;
  const common = { edition, version, begunAt, lookedAt: now.toISOString() };
  if (!registration) return { ...UNREADABLE, ...common, attention, until: null };
  try {
    const stop = chargeStop(registration, now) ?? WAITING;
    return {
      ...common,
      attention,
      until: next?.toISOString() ?? null,
      overdue: stop === 'not-due' ? null : stop,
      ...listedOf(registration, now),
    };
  } catch (error) {
    // One that cannot be listed keeps nothing from others.
    return { ...UNREADABLE, ...common, attention: attention ?? causeOf(error).message, until: null };
  }
}

/** Has the index of an edition say what is true now: the worker may not have looked yet at what has changed. */
export async function refreshIndex(database: Database, { id }: Pick<Facts, 'id'>, now: Date): Promise<void> {
  const outdated = await database.read((transaction) => findOutdated(transaction, id, now.toISOString()));
  for (let at = 0; at < outdated.length; at += TOGETHER) {
    const some = outdated.slice(at, at + TOGETHER);
    const all = await database.read((transaction) => readAllOnRecord(transaction, some));
    const found = new Map([...all].flatMap(([deposit, onRecord]) => foundOf(deposit, onRecord, now)));
    await database.write((transaction) => writeIndex(transaction, found, now));
    await nextTurn();
  }
}

function foundOf(deposit: string, onRecord: OnRecord, now: Date): [string, Found][] {
  const { registration: row } = onRecord;
  return row ? [[deposit, { row, due: dueOf(onRecord, { now, isOver: () => false }) }]] : [];
}

/** The deposits of an edition of which the index does not say what is true at a moment. */
async function findOutdated(transaction: Transaction, edition: string, now: Moment): Promise<string[]> {
  const rows = await transaction
    .selectFrom('registrations')
    .leftJoin('registrationIndex', 'registrationIndex.deposit', 'registrations.deposit')
    .select('registrations.deposit')
    .where('registrations.edition', '=', edition)
    .where('registrations.deposit', 'is not', null)
    .where(({ eb, or }) =>
      or([
        eb('registrationIndex.version', 'is', null),
        eb('registrationIndex.version', '<', eb.ref('registrations.version')),
        eb('registrationIndex.until', '<=', now),
        // The clock was ahead then.
        eb('registrationIndex.lookedAt', '>', now),
      ]),
    )
    .execute();
  return rows.flatMap(({ deposit }) => deposit ?? []);
}
