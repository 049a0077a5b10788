import type Stripe from 'stripe';
import type { RegistrationRecord } from './registration-record.ts';

/** A dispute of one of her payments, as Stripe has it now. */
export interface DisputeOnRecord {
  id: string;
  charge: string;
  of: 'deposit' | 'balance';
  cents: number;
  at: Date;
  /** Stripe's word for what her bank says, such as `fraudulent`. */
  reason: string;
  /** Stripe's word for where it stands. */
  status: string;
  /** The bank has decided, or she has withdrawn it. */
  isOver: boolean;
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status */
const OVER = ['won', 'lost', 'warning_closed', 'prevented'];

/** The disputes of a registration's payments, the oldest first. */
export async function findDisputes(
  stripe: Stripe,
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
 * Whether money is held up by a dispute. Of a charge Stripe says only that it was disputed at some time: where the office
 * called that over, the disputes tell whether there is another, or whether one goes on.
 */
export async function isDisputed(stripe: Stripe, record: RegistrationRecord): Promise<boolean> {
  const { disputeOver } = record.decisions;
  if (record.disputed || !disputeOver) return record.disputed;
  const disputes = await findDisputes(stripe, record);
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
