import { dateAt } from '#shared/dates.ts';
import { cardFeeCents, percentOf } from '#shared/money.ts';
import type { BalanceTerms, Edition } from './edition.ts';

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

export function sumsOf({ beforeFeeCents, feeCents }: Pick<Balance, 'beforeFeeCents' | 'feeCents'>): Balance {
  return { beforeFeeCents, feeCents, byCardCents: beforeFeeCents + feeCents };
}

export type WayBesideCard = 'check' | 'transfer';

export const REDUCTIONS = { scholarship: 'Your scholarship', reduction: 'Taken off the tuition' } as const;

export interface Reduction {
  cents: number;
  as: keyof typeof REDUCTIONS;
}

export interface RefundLine extends SumLine {
  of: 'deposit' | 'balance' | 'fee' | 'given-back';
  paidCents: number;
  afterCancelling?: true;
}

export interface Refund {
  byCardCents: number;
  byCheckCents: number;
  /** The reasons: their sum is the refund. */
  lines: readonly RefundLine[];
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

export const nameOfPart = ({ position, count }: PartOfPlan): string => `part ${position} of ${count}`;

export const titleOfPart = (part: PartOfPlan): string => `P${nameOfPart(part).slice(1)}`;

/**
 * An edition with the balance that somebody agreed to: her letters and her page name these sums and dates, whatever the
 * edition says by now.
 */
export function asAgreed(edition: Edition, agreed: BalanceTerms | undefined): Edition {
  const { facts, timetable } = edition;
  if (!agreed || isSameBalance(agreed, facts)) return edition;
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

export function isSameBalance(one: BalanceTerms, other: BalanceTerms): boolean {
  const [ofOne, ofOther] = [valuesOf(one), valuesOf(other)];
  return ofOne.every((value, index) => value === ofOther[index]);
}

function valuesOf({ prices, balance }: BalanceTerms): (number | boolean)[] {
  const { chargeAt, refundsEndAt, lateDays, feeRefundable } = balance;
  const moments = [chargeAt, refundsEndAt].map((moment) => Date.parse(moment));
  const { balanceBeforeFeeCents, cardFeePerMille } = prices;
  return [balanceBeforeFeeCents, cardFeePerMille, ...moments, lateDays, feeRefundable];
}

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
