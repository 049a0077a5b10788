import { type Refund, refundOf } from '#shared/content/tuition.ts';
import {
  orderOf,
  paymentsOf,
  type RegistrationRecord,
  refundedCentsOf,
  sumOf,
} from './registration-record.ts';
import { stateOf } from './registration-state.ts';

const HOUR_MS = 60 * 60 * 1000;

/** For so long she, or the office, can take her cancelling back. */
const UNDO_MS = 24 * HOUR_MS;
/** The worker works it off so long after it: the hour between keeps the two apart. */
const WORKED_OFF_MS = 25 * HOUR_MS;

/** What she gets back by the policy if she cancels, or has cancelled, in writing at a moment (R8). */
export function refundAt(record: RegistrationRecord, writtenAt: Date): Refund {
  return refundOf(record.edition.facts, paymentsOf(record), writtenAt);
}

/** Until when a cancelling that is not worked off can be taken back; undefined without one. */
export function undoUntil({ decisions: { cancel } }: RegistrationRecord): Date | undefined {
  return cancel && new Date(cancel.at.getTime() + UNDO_MS);
}

/** Whether it can be taken back now: nothing is given back yet, and the retreat is still ahead. */
export function canUndoCancel(record: RegistrationRecord, now: Date): boolean {
  const until = undoUntil(record);
  const endsAt = new Date(record.edition.facts.endsAt);
  return until !== undefined && stateOf(record, now) === 'cancelling' && now < until && now < endsAt;
}

/** When the worker works a cancelling off. */
export function workedOffFrom({ decisions: { cancel } }: RegistrationRecord): Date | undefined {
  return cancel && new Date(cancel.at.getTime() + WORKED_OFF_MS);
}

/** Why nothing is given back now; undefined when something is, or a cancelling is to be closed without. */
export type RefundStop = 'nothing-due' | 'can-be-undone' | 'disputed';

/** What keeps the worker from working off what was decided about money that goes back. */
export function refundStop(record: RegistrationRecord, now: Date): RefundStop | undefined {
  const isCancelling = stateOf(record, now) === 'cancelling';
  if (!isCancelling && !isRefundOrdered(record)) return 'nothing-due';
  if (record.disputed) return 'disputed';
  const from = workedOffFrom(record);
  return isCancelling && from !== undefined && now < from ? 'can-be-undone' : undefined;
}

/** Whether the office decided on an exception that is not carried out, or not all of it. */
export function isRefundOrdered({ decisions: { refund }, refunds, deposit }: RegistrationRecord): boolean {
  if (!refund || deposit !== 'paid') return false;
  const order = orderOf('refund', refund);
  return sumOf(refunds.filter((one) => one.order === order)) < refund.cents;
}

/** What of her payments by card is not gone, in US cents: the most that an exception can give. */
export function leftToRefund(record: RegistrationRecord): { deposit: number; balance: number } {
  const { depositCents, balance } = record;
  const paidCents = balance?.paidAt ? balance.cents : 0;
  return {
    deposit: Math.max(0, depositCents - refundedCentsOf(record, 'deposit')),
    balance: Math.max(0, paidCents - refundedCentsOf(record, 'balance')),
  };
}
