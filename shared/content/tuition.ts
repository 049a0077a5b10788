import { cardFeeCents } from '#shared/money.ts';
import type { BalanceTerms } from './edition.ts';

/** One line of a sum, for the people who check it. */
export interface SumLine {
  words: string;
  /** The part that is not refunded, in US cents. */
  keptCents?: number;
  why?: string;
  /** US cents; a deduction is negative. */
  cents: number;
}

/** What is left to pay after the deposit, in US cents. */
export interface Balance {
  beforeFeeCents: number;
  /** The fee added when it is paid by card. */
  feeCents: number;
  byCardCents: number;
  /** No fee. */
  byCheckCents: number;
}

/**
 * The balance of a registration.
 * @param waivedCents what the office waives of the tuition; never more than the balance before its fee
 * @throws {RangeError} when `waivedCents` is more, negative, or not a whole number
 */
export function balanceOf({ prices }: Pick<BalanceTerms, 'prices'>, waivedCents = 0): Balance {
  requireCents('waived', waivedCents, prices.balanceBeforeFeeCents);
  const beforeFeeCents = prices.balanceBeforeFeeCents - waivedCents;
  const feeCents = cardFeeCents(beforeFeeCents, prices.cardFeePerMille);
  return { beforeFeeCents, feeCents, byCardCents: beforeFeeCents + feeCents, byCheckCents: beforeFeeCents };
}

/** What a registrant has paid, in US cents. */
export interface AmountsPaid {
  /** What her card was charged for the deposit, its fee included; 0 when nothing was paid. */
  depositCents: number;
  /** How the balance was paid, if it was. */
  balance?: PaidBalance;
}

export interface PaidBalance {
  by: 'card' | 'check';
  /** Without the fee. */
  beforeFeeCents: number;
  /** 0 for a check. */
  feeCents: number;
  at: Date;
  /** The part of it that was refunded earlier. */
  refundedCents: number;
  /**
   * The balance was unpaid when her cancellation was recorded. This decides instead of `at`, which is from
   * another machine's clock.
   */
  wasOpen?: true;
}

/** The refund of one part of her payments. */
export interface RefundLine extends SumLine {
  of: 'deposit' | 'balance' | 'fee' | 'given-back';
}

const STAYS = 'not refunded';

/** The refund for a registrant who cancels. */
export interface Refund {
  /** To her card, in US cents. */
  byCardCents: number;
  /** By check, in US cents. */
  byCheckCents: number;
  /** The reasons: their sum is the refund. */
  lines: readonly RefundLine[];
}

/**
 * The refund for a registrant who cancels in writing at the given moment (R8, the cancellation policy). Until
 * the end of the day on which the balance is due, the balance that she has paid is refunded, its card fee
 * only where the edition says so. The deposit is not refunded. A balance charged after she cancelled is
 * refunded in full. The refund is never more than what the balance brought in, less earlier refunds. When the
 * office processes the cancellation does not matter.
 */
export function refundOf(
  { balance: plan }: Pick<BalanceTerms, 'balance'>,
  { depositCents, balance: paid }: AmountsPaid,
  cancelledAt: Date,
): Refund {
  const lines: RefundLine[] = [];
  if (depositCents > 0)
    lines.push({ of: 'deposit', words: 'deposit', keptCents: depositCents, why: STAYS, cents: 0 });
  if (!paid) return { byCardCents: 0, byCheckCents: 0, lines };
  const afterCancelling = paid.wasOpen === true || paid.at.getTime() > cancelledAt.getTime();
  const inTime = cancelledAt.getTime() < Date.parse(plan.refundsEndAt);
  const comesBack = afterCancelling || inTime;
  const how = afterCancelling
    ? 'paid after the cancellation'
    : inTime
      ? 'cancelled in time'
      : 'cancelled too late';
  lines.push({
    of: 'balance',
    words: `balance by ${paid.by}`,
    why: how,
    cents: comesBack ? paid.beforeFeeCents : 0,
  });
  if (paid.feeCents > 0) {
    const feeComesBack = afterCancelling || (inTime && plan.feeRefundable);
    lines.push({
      of: 'fee',
      words: 'its card fee',
      ...(!feeComesBack && { keptCents: paid.feeCents, why: STAYS }),
      cents: feeComesBack ? paid.feeCents : 0,
    });
  }
  const due = lines.reduce((sum, { cents }) => sum + cents, 0);
  const before = Math.min(due, paid.refundedCents);
  if (before > 0) lines.push({ of: 'given-back', words: 'given back before', cents: -before });
  const left = due - before;
  return paid.by === 'check'
    ? { byCardCents: 0, byCheckCents: left, lines }
    : { byCardCents: left, byCheckCents: 0, lines };
}

function requireCents(name: string, cents: number, most: number): void {
  if (!Number.isSafeInteger(cents) || cents < 0 || cents > most) {
    throw new RangeError(`${name} must be whole cents from 0 to ${most}, not ${cents}`);
  }
}
