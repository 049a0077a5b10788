import { type Refund, type RefundLine, refundOf } from '#shared/content/tuition.ts';
import { balanceTermsOf } from './card-on-file.ts';
import {
  balanceBackCents,
  orderOf,
  paidBalances,
  paymentsOf,
  refundedCentsOf,
  sumOf,
  surplusOf,
} from './owed.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { stateOf } from './registration-state.ts';

const HOUR_MS = 60 * 60 * 1000;

/** How long she, or the office, can undo her cancellation. */
const UNDO_MS = 24 * HOUR_MS;
/**
 * How long after it the worker carries it out: the hour in between ensures that undo and refund never
 * overlap.
 */
const WORKED_OFF_MS = 25 * HOUR_MS;

/**
 * What she gets back by the policy if she cancels, or has cancelled, in writing at a moment (R8); all that is left where
 * the office gives it back whole.
 */
export function refundAt(record: RegistrationRecord, writtenAt: Date): Refund {
  if (record.decisions.cancel?.whole) return wholeRefund(record);
  const refund = refundOf(balanceTermsOf(record), paymentsOf(record), writtenAt);
  // Her card takes no more than it has paid: if she had paid twice, a part of that may be back there.
  const paidCents = sumOf(paidBalances(record));
  const byCardCents = Math.min(refund.byCardCents, Math.max(0, paidCents - balanceBackCents(record)));
  return { ...refund, byCardCents, byCheckCents: refund.byCheckCents + refund.byCardCents - byCardCents };
}

/** The card fees too, whatever its own refunds have brought back already. */
function wholeRefund(record: RegistrationRecord): Refund {
  const { cancel } = record.decisions;
  const ownOrder = cancel && orderOf('cancel', cancel);
  const refunds = record.refunds.filter(({ order }) => order === undefined || order !== ownOrder);
  const left = leftToRefund({ ...record, refunds });
  const receivedCents = sumOf(record.received.counting);
  // What is owed to her beyond that is in `surplusOf`.
  const byCheckCents = Math.max(0, receivedCents - surplusOf(record));
  const lineOf = (of: 'deposit' | 'balance', words: string, cents: number) => ({
    of,
    words,
    cents,
    paidCents: cents,
  });
  const lines: readonly RefundLine[] = [
    lineOf('deposit', 'deposit', left.deposit),
    lineOf('balance', 'balance by card', left.balance),
    lineOf('balance', 'by check or transfer', byCheckCents),
  ];
  const byCardCents = left.deposit + left.balance;
  return { byCardCents, byCheckCents, lines: lines.filter(({ cents }) => cents > 0) };
}

/** How much of what goes back to her card goes back of which payment, in US cents. */
export function byPayment({ byCardCents, lines }: Refund): Readonly<Record<'deposit' | 'balance', number>> {
  const deposit = lines.find(({ of }) => of === 'deposit')?.cents ?? 0;
  return { deposit, balance: byCardCents - deposit };
}

/** Until when a cancellation can be undone; undefined without one, and where all goes back at once. */
export function undoUntil({ decisions: { cancel } }: RegistrationRecord): Date | undefined {
  return cancel && !cancel.whole ? new Date(cancel.at.getTime() + UNDO_MS) : undefined;
}

/** Whether the cancellation can be undone now: nothing is refunded yet, and the retreat is not over. */
export function canUndoCancel(record: RegistrationRecord, now: Date): boolean {
  const until = undoUntil(record);
  const endsAt = new Date(record.edition.facts.endsAt);
  return until !== undefined && stateOf(record, now) === 'cancelling' && now < until && now < endsAt;
}

export function workedOffFrom({ decisions: { cancel } }: RegistrationRecord): Date | undefined {
  return cancel && new Date(cancel.at.getTime() + (cancel.whole ? 0 : WORKED_OFF_MS));
}

export type RefundStop = 'nothing-due' | 'can-be-undone' | 'disputed';

/** What prevents the worker from carrying out a refund or a cancellation now; undefined if nothing does. */
export function refundStop(record: RegistrationRecord, now: Date): RefundStop | undefined {
  const isCancelling = stateOf(record, now) === 'cancelling';
  if (!isCancelling && !isRefundOrdered(record)) return 'nothing-due';
  if (record.disputed) return 'disputed';
  const from = workedOffFrom(record);
  return isCancelling && from !== undefined && now < from ? 'can-be-undone' : undefined;
}

/** Whether the office decided on an exceptional refund that is not, or not fully, carried out. */
export function isRefundOrdered({ decisions: { refund }, refunds, deposit }: RegistrationRecord): boolean {
  if (!refund || deposit !== 'paid') return false;
  const order = orderOf('refund', refund);
  return sumOf(refunds.filter((one) => one.order === order)) < refund.cents;
}

/**
 * The part of her card payments that is not refunded yet, in US cents: the maximum of an exceptional refund.
 */
export function leftToRefund(record: RegistrationRecord): { deposit: number; balance: number } {
  const { depositDueCents, depositCents } = record;
  const paidCents = sumOf(paidBalances(record));
  const depositByCard = depositDueCents === undefined ? depositCents : 0;
  return {
    deposit: Math.max(0, depositByCard - refundedCentsOf(record, 'deposit')),
    balance: Math.max(0, paidCents - refundedCentsOf(record, 'balance')),
  };
}
