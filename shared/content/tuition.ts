import { dateAt } from '#shared/dates.ts';
import { cardFeeCents, percentOf } from '#shared/money.ts';
import type { BalanceTerms, Edition } from './edition.ts';

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
}

/**
 * The balance of a registration.
 * @param lessCents what is not left to pay of the tuition: what the office takes off, and what has come in another way
 *   than by card; never more than the balance before its fee
 * @throws {RangeError} when `lessCents` is more, negative, or not a whole number
 */
export function balanceOf({ prices }: Pick<BalanceTerms, 'prices'>, lessCents = 0): Balance {
  requireCents('lessCents', lessCents, prices.balanceBeforeFeeCents);
  const beforeFeeCents = prices.balanceBeforeFeeCents - lessCents;
  return sumsOf({ beforeFeeCents, feeCents: cardFeeCents(beforeFeeCents, prices.cardFeePerMille) });
}

/** A sum, its card fee, and both together. */
export function sumsOf({ beforeFeeCents, feeCents }: Pick<Balance, 'beforeFeeCents' | 'feeCents'>): Balance {
  return { beforeFeeCents, feeCents, byCardCents: beforeFeeCents + feeCents };
}

/** How a payment came that did not come by card. */
export type WayBesideCard = 'check' | 'transfer';

/** What a part of the tuition that is not asked of somebody is called to her. */
export const REDUCTIONS = { scholarship: 'Your scholarship', reduction: 'Taken off the tuition' } as const;

/** A part of the tuition that is not asked of her, in US cents. */
export interface Reduction {
  cents: number;
  as: keyof typeof REDUCTIONS;
}

/** What a registrant has paid, in US cents. */
export interface AmountsPaid {
  /** The deposit, with its card fee if it was paid by card; 0 when nothing was paid. */
  depositCents: number;
  /** The payments of the balance, without what she has paid beyond it. */
  balance: readonly PaidBalance[];
}

export interface PaidBalance {
  by: 'card' | WayBesideCard;
  /** Without the fee; what came by check is as much as came. */
  beforeFeeCents: number;
  /** 0 unless it was paid by card. */
  feeCents: number;
  at: Date;
  /** The part of it that was refunded earlier. */
  refundedCents: number;
}

export interface RefundLine extends SumLine {
  of: 'deposit' | 'balance' | 'fee' | 'given-back';
  /** What she paid for this part, in US cents. */
  paidCents: number;
  /** It was paid after she had cancelled: all of it is refunded. */
  afterCancelling?: true;
}

const STAYS = 'not refunded';

/** The refund for a registrant who cancels. */
export interface Refund {
  /** To her card, in US cents. */
  byCardCents: number;
  /** By check, in US cents: what did not come by card. */
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
  { depositCents, balance }: AmountsPaid,
  cancelledAt: Date,
): Refund {
  const parts = balance.map((paid) => ({ by: paid.by, back: linesOf(plan, paid, cancelledAt) }));
  const backOf = (isBy: (by: PaidBalance['by']) => boolean) =>
    parts
      .filter(({ by }) => isBy(by))
      .flatMap(({ back }) => back)
      .reduce((sum, { cents }) => sum + cents, 0);
  const dueByCard = backOf((by) => by === 'card');
  const refunded = balance.reduce((sum, { refundedCents }) => sum + refundedCents, 0);
  const before = Math.min(dueByCard, refunded);
  const lines = parts.flatMap(({ back }) => back);
  if (depositCents > 0)
    lines.unshift({
      of: 'deposit',
      words: 'deposit',
      why: STAYS,
      keptCents: depositCents,
      paidCents: depositCents,
      cents: 0,
    });
  if (before > 0) lines.push({ of: 'given-back', words: 'given back before', paidCents: 0, cents: -before });
  return { byCardCents: dueByCard - before, byCheckCents: backOf((by) => by !== 'card'), lines };
}

/** What comes back of one payment of the balance. */
function linesOf(
  plan: BalanceTerms['balance'],
  { by, beforeFeeCents, feeCents, at }: PaidBalance,
  cancelledAt: Date,
): RefundLine[] {
  const afterCancelling = at.getTime() > cancelledAt.getTime();
  const inTime = cancelledAt.getTime() < Date.parse(plan.refundsEndAt);
  const why = afterCancelling
    ? 'paid after the cancellation'
    : inTime
      ? 'cancelled in time'
      : 'cancelled too late';
  const after = afterCancelling ? ({ afterCancelling } as const) : {};
  const tuition: RefundLine = {
    of: 'balance',
    words: `balance by ${by}`,
    why,
    paidCents: beforeFeeCents,
    ...after,
    cents: afterCancelling || inTime ? beforeFeeCents : 0,
  };
  if (feeCents === 0) return [tuition];
  const feeComesBack = afterCancelling || (inTime && plan.feeRefundable);
  const fee = { of: 'fee', words: 'its card fee', paidCents: feeCents, ...after } as const;
  return [
    tuition,
    feeComesBack ? { ...fee, cents: feeCents } : { ...fee, keptCents: feeCents, why: STAYS, cents: 0 },
  ];
}

function requireCents(name: string, cents: number, most: number): void {
  if (!Number.isSafeInteger(cents) || cents < 0 || cents > most) {
    throw new RangeError(`${name} must be whole cents from 0 to ${most}, not ${cents}`);
  }
}

/** Which part of a payment plan it is, from 1. */
export interface PartOfPlan {
  position: number;
  count: number;
}

/** `part 2 of 3` */
export const nameOfPart = ({ position, count }: PartOfPlan): string => `part ${position} of ${count}`;

/** `Part 2 of 3` */
export const titleOfPart = (part: PartOfPlan): string => `P${nameOfPart(part).slice(1)}`;

/**
 * An edition with the balance that somebody agreed to: her letters and her page name these sums and dates, whatever the
 * edition says by now.
 */
export function asAgreed(edition: Edition, agreed: BalanceTerms | undefined): Edition {
  const { facts, timetable } = edition;
  if (!agreed || areSame(agreed, facts)) return edition;
  const prices = {
    ...facts.prices,
    ...agreed.prices,
    cardFee: percentOf(agreed.prices.cardFeePerMille),
    balanceCents: balanceOf(agreed).byCardCents,
  };
  const balance = { ...facts.balance, ...agreed.balance };
  const balanceDueDate = dateAt(new Date(balance.chargeAt), timetable.timeZone.id);
  return { ...edition, facts: { ...facts, prices, balance, balanceDueDate } };
}

function areSame(one: BalanceTerms, other: BalanceTerms): boolean {
  const [ofOne, ofOther] = [valuesOf(one), valuesOf(other)];
  return ofOne.every((value, index) => value === ofOther[index]);
}

function valuesOf({ prices, balance }: BalanceTerms): (number | boolean)[] {
  const { chargeAt, refundsEndAt, lateDays, feeRefundable } = balance;
  const moments = [chargeAt, refundsEndAt].map((moment) => Date.parse(moment));
  const { balanceBeforeFeeCents, cardFeePerMille } = prices;
  return [balanceBeforeFeeCents, cardFeePerMille, ...moments, lateDays, feeRefundable];
}
