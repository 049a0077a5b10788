import type Stripe from 'stripe';
import type { AttemptRow, PaymentRow } from '#server/database/schema.ts';
import { unreadablePayment } from './acts.ts';
import type { PaidCard } from './card-on-file.ts';
import type { OnRecord } from './on-record.ts';

/** The PaymentIntent of the balance, or of a part of it: the paid or open one, else the last cancelled one. */
export interface BalancePayment {
  id: string;
  /** The number of the part of a payment plan; absent where it is none. */
  part?: number;
  status: 'open' | 'cancelled' | 'paid';
  /**
   * Off-session tries of the balance, including those of cancelled payments; the last try may still be in
   * progress.
   */
  tries: number;
  /** How the last completed try failed. */
  decline?: BalanceDecline;
  /** When she began to pay it on her page. */
  payingSince?: Date;
  /** US cents: what it charges, and without the card fee. */
  cents: number;
  beforeFeeCents: number;
  paidAt?: Date;
  /** Absent while it is not paid. */
  paidWith?: PaidCard;
}

/** How an off-session try to charge the card failed. */
export interface BalanceDecline {
  /** The first is 1. */
  try: number;
  at: Date;
  /** Stripe's decline code, or its error's code. */
  code: string;
  /** The payment method that was refused. */
  card: string;
  /**
   * Tries of this card since she gave it or the office asked for a retry; it determines the pause before the
   * next one.
   */
  step: number;
  /** When the card is retried; absent if it is not. */
  next?: Date;
  /** This card must not be retried off-session, not even when the office asks for it. */
  final?: true;
}

/** The deposit that a payment of a balance belongs to; undefined for all other payments. */
export function depositOfBalance({ metadata }: Stripe.PaymentIntent): string | undefined {
  return metadata.kind === 'balance' ? metadata.deposit : undefined;
}

/**
 * Of the balance, and of each part of it, the payment that counts: the paid one, or else the newest one that was not
 * cancelled, since another open one beside it must not be charged; or else the newest one.
 */
export function balancesInForce({ payments }: Pick<OnRecord, 'payments'>): readonly PaymentRow[] {
  const balances = payments.filter(({ name }) => name === 'balance');
  return [...new Set(balances.map(({ part }) => part))].flatMap((part) => {
    const own = balances.filter((payment) => payment.part === part);
    const inForce = own.find(({ status }) => status === 'paid') ?? own.find(isNotCancelled) ?? own[0];
    return inForce ?? [];
  });
}

const isNotCancelled = ({ status }: PaymentRow): boolean => status !== 'cancelled';

/**
 * A payment of a balance on record.
 * @param attempts the tries of her card, in their order, also those of other parts
 * @throws {AppError} when its metadata hold data that this site did not write, or it was paid with another
 *   amount
 */
export function readBalance(
  { id, part, status, asMade, cents, paidAt, beforeFeeCents }: PaymentRow,
  paidWith: PaidCard | undefined,
  payingSince: Date | undefined,
  attempts: readonly AttemptRow[],
): BalancePayment {
  if (beforeFeeCents === null) throw unreadablePayment(`${id} has metadata of a balance that cannot be read`);
  if (status === 'paid' && asMade === 0)
    throw unreadablePayment(`${id} is a balance that was paid with another amount than this site asked for`);
  const own = attempts.filter((attempt) => attempt.part === part);
  const decline = lastDeclineOf(own);
  return {
    id,
    ...(part > 0 && { part }),
    status: status === 'paid' || status === 'cancelled' ? status : 'open',
    tries: own.at(-1)?.number ?? 0,
    ...(decline && { decline }),
    ...(payingSince && { payingSince }),
    cents,
    beforeFeeCents,
    ...(paidAt !== null && { paidAt: new Date(paidAt) }),
    ...(paidWith && { paidWith }),
  };
}

function lastDeclineOf(attempts: readonly AttemptRow[]): BalanceDecline | undefined {
  const last = attempts.findLast(({ code }) => code !== null);
  if (!last || last.code === null || last.endedAt === null) return undefined;
  const { number, endedAt, code, card, step, nextAt, final } = last;
  return {
    try: number,
    at: new Date(endedAt),
    code,
    card,
    step,
    ...(nextAt !== null && { next: new Date(nextAt) }),
    ...(final === 1 && { final: true }),
  };
}
