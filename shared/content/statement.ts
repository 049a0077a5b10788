import type { PartOfPlan, Reduction, WayBesideCard } from './tuition.ts';

interface Line {
  /** US cents with the card fee; what goes back to her is negative. */
  cents: number;
  feeCents: number;
  /** When it moved, was decided or ordered, or is due. */
  at: Date;
}

export interface PaymentLine extends Line {
  what: 'deposit' | 'balance';
  status: 'paid' | 'due';
  way: 'card' | WayBesideCard;
  part?: PartOfPlan | undefined;
  /** Stripe's id of the payment, the number of the check, or the reference of the transfer. */
  reference?: string | undefined;
  card?: { brand: string; last4: string } | undefined;
  isEarlier?: true;
}

export interface BackLine extends Line {
  what: 'refund' | 'dispute' | 'check';
  /** Only an exception is ordered as a refund before it is made. */
  status: 'ordered' | 'pending' | 'paid' | 'failed';
  way: 'card' | 'check';
  of?: PaymentLine['what'];
}

interface ReductionLine extends Line {
  what: Reduction['as'];
}

export type StatementLine = PaymentLine | BackLine | ReductionLine;

export const isPayment = (line: StatementLine): line is PaymentLine =>
  (line.what === 'deposit' || line.what === 'balance') && line.status === 'paid';

/** A refund that her bank did not take is none. */
export const isRepayment = (line: StatementLine): line is BackLine =>
  (line.what === 'refund' || line.what === 'check') && (line.status === 'paid' || line.status === 'pending');
