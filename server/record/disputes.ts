import type { DisputeRow, PaymentRow } from '#server/database/schema.ts';
import type { Decisions } from './decisions.ts';

/** A dispute of one of her payments, as Stripe showed it last. */
export interface DisputeOnRecord extends Pick<DisputeRow, 'id' | 'cents' | 'reason' | 'status'> {
  charge: string;
  of: 'deposit' | 'balance';
  at: Date;
  /** The bank has decided, or she has withdrawn it. */
  isOver: boolean;
  /** Until when her bank takes evidence. */
  evidenceDue?: Date;
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
export const OVER = ['won', 'lost', 'warning_closed', 'prevented'];

/** The disputes on record of a payment. */
export function disputesOf(
  rows: readonly DisputeRow[],
  payment: PaymentRow | undefined,
  of: DisputeOnRecord['of'],
): DisputeOnRecord[] {
  const own = rows.filter((row) => row.payment === payment?.id);
  return own.map(({ id, cents, at, reason, status, evidenceDue }) => ({
    id,
    charge: payment?.charge ?? '',
    of,
    cents,
    at: new Date(at),
    reason,
    status,
    isOver: OVER.includes(status),
    ...(evidenceDue !== null && { evidenceDue: new Date(evidenceDue) }),
  }));
}

/**
 * Whether disputes of a payment block money: those that the office has not marked as over. A charge at Stripe shows that it
 * was disputed at some time, also before the dispute is listed.
 */
export function isDisputed(
  payment: Pick<PaymentRow, 'charge' | 'disputed'> | undefined,
  disputes: readonly DisputeOnRecord[],
  { disputeOver }: Pick<Decisions, 'disputeOver'>,
): boolean {
  if (payment?.disputed !== 1) return false;
  if (!disputeOver?.charges.includes(payment.charge ?? '')) return true;
  return disputes.some(({ id, isOver }) => !isOver || !disputeOver.disputes.includes(id));
}
