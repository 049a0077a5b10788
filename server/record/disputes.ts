import type Stripe from 'stripe';
import type { DisputeRow, PaymentRow } from '#server/database/schema.ts';
import type { Decisions } from './decisions.ts';

/** A dispute of one of her payments, as Stripe showed it last. */
export interface DisputeOnRecord {
  id: string;
  charge: string;
  of: 'deposit' | 'balance';
  /** US cents. */
  cents: number;
  at: Date;
  /** Stripe's code for the reason that her bank gives, such as `fraudulent`. */
  reason: string;
  /** Stripe's status of the dispute. */
  status: string;
  /** The bank has decided, or she has withdrawn it. */
  isOver: boolean;
  /** Until when her bank takes evidence. */
  evidenceDue?: Date;
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
export const OVER = ['won', 'lost', 'warning_closed', 'prevented'];

/** The disputes of a payment in the form in which they are recorded; a charge that is not disputed causes no request. */
export async function readDisputes(
  stripe: Stripe,
  { id: payment, latest_charge: charge }: Stripe.PaymentIntent,
): Promise<DisputeRow[]> {
  if (!charge || typeof charge === 'string' || !charge.disputed) return [];
  const { data } = await stripe.disputes.list({ payment_intent: payment, limit: 100 });
  return data.map(({ id, amount: cents, created, reason, status, evidence_details: { due_by: due } }) => ({
    ...{ id, payment, cents, reason, status, at: momentOf(created) },
    evidenceDue: due === null ? null : momentOf(due),
  }));
}

const momentOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The disputes on record of a payment. */
export function disputesOf(
  rows: readonly DisputeRow[],
  payment: PaymentRow | undefined,
  of: DisputeOnRecord['of'],
): DisputeOnRecord[] {
  const own = rows.filter((row) => row.payment === payment?.id);
  return own.map(({ id, cents, at, reason, status, evidenceDue }) => ({
    ...{ id, charge: payment?.charge ?? '', of, cents, at: new Date(at), reason, status },
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
