import type Stripe from 'stripe';
import type { RegistrationRecord } from './registration-record.ts';

/** A dispute of one of her payments, in its current state at Stripe. */
export interface DisputeOnRecord {
  id: string;
  charge: string;
  of: 'deposit' | 'balance';
  cents: number;
  at: Date;
  /** Stripe's code for the reason that her bank gives, such as `fraudulent`. */
  reason: string;
  /** Stripe's status of the dispute. */
  status: string;
  /** The bank has decided, or she has withdrawn it. */
  isOver: boolean;
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
const OVER = ['won', 'lost', 'warning_closed', 'prevented'];

/** The disputes of a registration's payments, the oldest first. */
export async function findDisputes(
  { stripe }: { stripe: Stripe },
  { id, balance }: RegistrationRecord,
): Promise<DisputeOnRecord[]> {
  const payments = [
    { of: 'deposit', payment_intent: id } as const,
    ...(balance?.paidAt ? [{ of: 'balance', payment_intent: balance.id } as const] : []),
  ];
  const lists = await Promise.all(
    payments.map(async ({ of, payment_intent }) => {
      const { data } = await stripe.disputes.list({ payment_intent, limit: 100 });
      return data.map((dispute) => read(dispute, of));
    }),
  );
  return lists.flat().toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

/**
 * Whether a dispute blocks money. A charge at Stripe shows only that it was disputed at some time: once the
 * office has marked that as resolved, the disputes themselves show whether there is a new one, or one that is
 * still open.
 */
export async function isDisputed(stripe: Stripe, record: RegistrationRecord): Promise<boolean> {
  const { disputeOver } = record.decisions;
  if (record.disputed || !disputeOver) return record.disputed;
  const disputes = await findDisputes({ stripe }, record);
  return disputes.some(({ id, isOver }) => !isOver || !disputeOver.disputes.includes(id));
}

function read(dispute: Stripe.Dispute, of: DisputeOnRecord['of']): DisputeOnRecord {
  const { id, charge, amount, created, reason, status } = dispute;
  return {
    id,
    charge: typeof charge === 'string' ? charge : charge.id,
    of,
    cents: amount,
    at: new Date(created * 1000),
    reason,
    status,
    isOver: OVER.includes(status),
  };
}
