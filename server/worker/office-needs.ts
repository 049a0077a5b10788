import type { Database } from '#server/database/database.ts';
import { isRoomMissing, readAnnouncements } from '#server/letters/announcements.ts';
import type { OfficeItem } from '#server/letters/office-digest-words.ts';
import { lettersNow } from '#server/letters/table.ts';
import {
  chargeObstacle,
  chargeStop,
  depositLeftOf,
  isRefundOrdered,
  isRestByCheck,
  isUnreachable,
  lastDecline,
  nameOf,
  nextInstallment,
  nextTryAt,
  owedByCheck,
  owes,
  paidBalances,
  type RegistrationRecord,
  type RegistrationState,
  reasonOfDecline,
  refundAt,
  stateOf,
  workedOffFrom,
} from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';

/** What is due is done within minutes: after this long something is wrong, and the office is told. */
const STUCK_AFTER_MS = 24 * 60 * 60 * 1000;

export async function needsRoom(database: Database, edition: Edition, now: Date): Promise<boolean> {
  if (!isRoomMissing(edition, await readAnnouncements({ database }, edition), now)) return false;
  const someone = await database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .select('id')
      .where('edition', '=', edition.facts.id)
      .where('standing', '=', 'taken')
      .limit(1)
      .executeTakeFirst(),
  );
  return someone !== undefined;
}

export function needsOf(record: RegistrationRecord, now: Date): OfficeItem[] {
  const about = { registration: record.id, name: nameOf(record.registrant) };
  const needs: (Need | undefined)[] = [
    // Until a dispute is over, nothing is refunded in other ways.
    ...(record.disputed ? [{ need: 'disputed' } as const] : needsOfRefunds(record, now)),
    needOfTwo(record),
    needOfDeposit(record, now) ?? needOfBalance(record, now),
    needOfAddress(record, now),
  ];
  return needs.flatMap((need) => (need ? { ...about, ...need } : []));
}

type Need = Omit<OfficeItem, 'registration' | 'name'>;

function needsOfRefunds(record: RegistrationRecord, now: Date): Need[] {
  const { cancelled, decisions, refunds, received, ledger, begunAt } = record;
  const { cancel, refund, waived } = decisions;
  const since =
    (cancelled ?? refund ?? refunds.at(-1) ?? received.counting.at(-1) ?? waived)?.at ??
    ledger.entries.at(-1)?.movedAt ??
    begunAt;
  const needs: Need[] = [];
  const add = (need: Need['need'], cents: number, at: Date) =>
    needs.push({ need, since: at.toISOString(), ...(cents > 0 && { cents }) });
  const isStuck = (dueAt: Date) => now.getTime() >= dueAt.getTime() + STUCK_AFTER_MS;
  const byCheck = owedByCheck(record);
  if (byCheck > 0) add('check-to-send', byCheck, since);
  const workedOffAt = stateOf(record, now) === 'cancelling' ? workedOffFrom(record) : undefined;
  if (workedOffAt && isStuck(workedOffAt)) {
    const { byCardCents, byCheckCents } = refundAt(record, cancel?.writtenAt ?? now);
    add('refund-overdue', byCardCents + byCheckCents, workedOffAt);
  }
  const orderedAt = workedOffAt ?? refund?.at;
  if (refund && orderedAt && isRefundOrdered(record) && isStuck(orderedAt))
    add('refund-overdue', refund.cents, orderedAt);
  return needs;
}

function needOfAddress(record: RegistrationRecord, now: Date): Need | undefined {
  const { bounced, deposit, edition } = record;
  const state = stateOf(record, now);
  const isOver = NO_MORE_LETTERS.includes(state) || !nextMoment([edition], now);
  if (!bounced || !isUnreachable(record) || deposit !== 'paid' || isOver) return undefined;
  const cents = owes(record) ? { cents: nextInstallment(record).left.byCardCents } : {};
  return { need: 'bounced', since: bounced.at.toISOString(), ...cents };
}

const NO_MORE_LETTERS: readonly RegistrationState[] = ['refunded', 'nothing-back'];

/** The deposit that a place is held for has not come by its day, or a part of it came and the place is free again. */
function needOfDeposit(record: RegistrationRecord, now: Date): Need | undefined {
  const { held } = record.decisions;
  if (record.deposit !== 'unpaid' || !held || now < held.until || record.isProcessing) return undefined;
  if (stateOf(record, now) !== 'held' && !hasPaidOtherwise(record)) return undefined;
  return { need: 'deposit-late', cents: depositLeftOf(record), since: held.until.toISOString() };
}

/** Whether something came that is no payment of the deposit by card, even if it went back. */
export function hasPaidOtherwise(record: RegistrationRecord): boolean {
  const { counting, takenBack } = record.received;
  return counting.length + takenBack.length + paidBalances(record).length > 0;
}

function needOfTwo({ paidTwice, paidAt }: RegistrationRecord): Need | undefined {
  return paidTwice && { need: 'paid-twice', ...(paidAt && { since: paidAt.toISOString() }) };
}

function needOfBalance(record: RegistrationRecord, now: Date): Need | undefined {
  if (record.disputed || !owes(record)) return undefined;
  const state = stateOf(record, now);
  const next = nextInstallment(record);
  const why = chargeObstacle(record, now, next);
  if (why === 'processing') return undefined;
  const { dueAt, left } = next;
  const since = now >= dueAt ? { since: dueAt.toISOString() } : {};
  if (isRestByCheck(record, next))
    return now >= dueAt ? { need: 'check-overdue', cents: left.beforeFeeCents, ...since } : undefined;
  if (why === 'deposit-refunded') return { need: 'deposit-refunded' };
  // These are listed by `needOfAddress` and `needOfTwo`.
  if (why === 'unreachable' || why === 'paid-twice') return undefined;
  const { part } = next;
  const sum = { cents: left.byCardCents, ...(part && { part }) };
  if (why === 'over') return { need: 'overdue', ...sum, ...since };
  if (why !== undefined && why !== 'disputed' && why !== 'check' && why !== 'plan-paused') {
    const isAsked = lettersNow('please-pay', record, now).length > 0;
    return isAsked ? { need: 'asked-to-pay', ...sum, ...since, obstacle: why } : undefined;
  }
  if (state === 'action-needed') {
    const decline = lastDecline(record, next) ?? next.decline;
    const reason = decline && { reason: reasonOfDecline(decline.code), since: decline.at.toISOString() };
    return { need: 'action-needed', ...sum, ...(reason ?? since) };
  }
  // A try may have been begun, and fail ever since without a result.
  const isDue = state === 'due' || (state === 'retrying' && chargeStop(record, now, next) === undefined);
  const stuckAt = (nextTryAt(record, next) ?? dueAt).getTime() + STUCK_AFTER_MS;
  return isDue && now.getTime() >= stuckAt ? { need: 'overdue', ...sum, ...since } : undefined;
}
