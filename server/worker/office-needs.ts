import type { Database } from '#server/database/database.ts';
import { readAnnouncements } from '#server/letters/announcements.ts';
import { placeOfPart } from '#server/letters/letter-kind.ts';
import { isRoomMissing } from '#server/letters/retreat-letters.ts';
import { letterNow } from '#server/letters/table.ts';
import {
  isRestByCheck,
  nextInstallment,
  owedByCheck,
  owes,
  paidBalances,
} from '#server/registration/balance.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import { isRefundOrdered, refundAt, workedOffFrom } from '#server/registration/cancelling.ts';
import { chargeObstacle, chargeStop, lastDecline, nextTryAt } from '#server/registration/charges.ts';
import { reasonOfDecline } from '#server/registration/declines.ts';
import { depositLeftOf } from '#server/registration/deposit.ts';
import { callsToMake } from '#server/registration/notes.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { type RegistrationState, stateOf } from '#server/registration/registration-state.ts';
import { nameOf } from '#server/registration/registrations.ts';
import type { Edition } from '#shared/content/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';
import type { OfficeItem } from '#shared/content/office-digest-words.ts';
import { STUCK_AFTER_MS } from './due.ts';

/** Whether the office has to say where the video room is, because somebody has a place. */
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
  const owed = needOfDeposit(record, now) ?? needOfBalance(record, now);
  const [call] = callsToMake(record);
  const calls: OfficeItem[] = call ? [{ need: 'call-back', since: call.at.toISOString() }] : [];
  // Until a dispute is over, nothing is refunded in other ways.
  const needs: OfficeItem[] = record.disputed ? [{ need: 'disputed' }] : needsOfRefunds(record, now);
  const reached = needOfAddress(record, now);
  const twice = needOfTwo(record);
  const all = [
    ...calls,
    ...needs,
    ...(twice ? [twice] : []),
    ...(owed ? [owed] : []),
    ...(reached ? [reached] : []),
  ];
  return all.map((need) => ({ ...about, ...need }));
}

/** What she is owed by check, and what the worker should have refunded a day ago. */
function needsOfRefunds(record: RegistrationRecord, now: Date): OfficeItem[] {
  const { cancel, refund } = record.decisions;
  const since =
    (record.cancelled ?? refund ?? record.refunds.at(-1))?.at ??
    record.received.counting.at(-1)?.at ??
    record.decisions.waived?.at ??
    record.ledger.entries.at(-1)?.movedAt ??
    record.begunAt;
  const byCheck = owedByCheck(record);
  const workedOffAt = stateOf(record, now) === 'cancelling' ? workedOffFrom(record) : undefined;
  const isStuck = (dueAt: Date) => now.getTime() >= dueAt.getTime() + STUCK_AFTER_MS;
  const item = (need: OfficeItem['need'], cents: number, at: Date): OfficeItem => ({
    need,
    since: at.toISOString(),
    ...(cents > 0 && { cents }),
  });
  return [
    ...(byCheck > 0 ? [item('check-to-send', byCheck, since)] : []),
    ...(workedOffAt && isStuck(workedOffAt)
      ? [item('refund-overdue', backCents(record, cancel?.writtenAt ?? now), workedOffAt)]
      : []),
    ...(refund && isRefundOrdered(record) && isStuck(workedOffAt ?? refund.at)
      ? [item('refund-overdue', refund.cents, workedOffAt ?? refund.at)]
      : []),
  ];
}

/** What comes back to her, by card or check, in US cents. */
function backCents(record: RegistrationRecord, writtenAt: Date): number {
  const { byCardCents, byCheckCents } = refundAt(record, writtenAt);
  return byCardCents + byCheckCents;
}

/** Letters to her come back, while more are to come. */
function needOfAddress(record: RegistrationRecord, now: Date): OfficeItem | undefined {
  const { bounced, deposit, edition } = record;
  const state = stateOf(record, now);
  const isPast = !nextMoment([edition], now);
  if (!bounced || deposit !== 'paid' || isPast || NO_MORE_LETTERS.includes(state)) return undefined;
  const since = bounced.at.toISOString();
  if (!isUnreachable(record)) return undefined;
  const cents = owes(record) ? { cents: nextInstallment(record).left.byCardCents } : {};
  return { need: 'bounced', since, ...cents };
}

const NO_MORE_LETTERS: readonly RegistrationState[] = ['refunded', 'nothing-back'];

/** The deposit that a place is held for has not come by its day, or a part of it came and the place is free again. */
function needOfDeposit(record: RegistrationRecord, now: Date): OfficeItem | undefined {
  const { deposit, decisions, received, isProcessing } = record;
  const { held } = decisions;
  if (deposit !== 'unpaid' || !held || now < held.until || isProcessing) return undefined;
  const isTouched = received.counting.length + received.takenBack.length + paidBalances(record).length > 0;
  if (stateOf(record, now) !== 'held' && !isTouched) return undefined;
  const cents = depositLeftOf(record);
  return { need: 'deposit-late', cents, since: held.until.toISOString() };
}

/** One person may have paid twice, whichever of the two places this is. */
function needOfTwo({ paidTwice, paidAt }: RegistrationRecord): OfficeItem | undefined {
  return paidTwice && { need: 'paid-twice', ...(paidAt && { since: paidAt.toISOString() }) };
}

function needOfBalance(record: RegistrationRecord, now: Date): OfficeItem | undefined {
  if (record.disputed || !owes(record)) return undefined;
  const state = stateOf(record, now);
  const next = nextInstallment(record);
  const why = chargeObstacle(record, now, next);
  if (why === 'processing') return undefined;
  const { dueAt } = next;
  const part = placeOfPart(next);
  const sum = { cents: next.left.byCardCents, ...(part && { part }) };
  const since = now >= dueAt ? { since: dueAt.toISOString() } : {};
  if (isRestByCheck(record, next)) {
    const { beforeFeeCents: cents } = next.left;
    return now >= dueAt ? { need: 'check-overdue', cents, ...since } : undefined;
  }
  if (why === 'deposit-refunded') return { need: 'deposit-refunded' };
  // These are listed by `needOfAddress` and `needOfTwo`.
  if (why === 'unreachable' || why === 'paid-twice') return undefined;
  if (why === 'over') return { need: 'overdue', ...sum, ...since };
  if (why !== undefined && why !== 'disputed' && why !== 'check' && why !== 'plan-paused') {
    const isAsked = letterNow('please-pay', record, now) !== undefined;
    return isAsked ? { need: 'asked-to-pay', ...sum, ...since, obstacle: why } : undefined;
  }
  if (state === 'action-needed') {
    const decline = lastDecline(record, next) ?? next.decline;
    const reason = decline
      ? { reason: reasonOfDecline(decline.code), since: decline.at.toISOString() }
      : since;
    return { need: 'action-needed', ...sum, ...reason };
  }
  // A try may have been begun, and fail ever since without a result.
  const isDue = state === 'due' || (state === 'retrying' && chargeStop(record, now, next) === undefined);
  const stuckAt = (nextTryAt(record, next) ?? dueAt).getTime() + STUCK_AFTER_MS;
  return isDue && now.getTime() >= stuckAt ? { need: 'overdue', ...sum, ...since } : undefined;
}
