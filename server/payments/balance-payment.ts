import type Stripe from 'stripe';
import * as v from 'valibot';
import type { PaymentRow } from '#server/database/schema.ts';
import { moment } from './acts.ts';
import type { PaidCard } from './card-on-file.ts';
import { unreadablePayment } from './provider-errors.ts';

/** The PaymentIntent of the balance: the paid or open one, else the last cancelled one. */
export interface BalancePayment {
  id: string;
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
const declineSchema = v.object({
  /** The first is 1. */
  try: v.number(),
  at: moment,
  /** Stripe's decline code, or its error's code. */
  code: v.string(),
  /** The payment method that was refused. */
  card: v.string(),
  /**
   * Tries of this card since she gave it or the office asked for a retry; it determines the pause before the
   * next one.
   */
  step: v.number(),
  /** When the card is retried; absent if it is not. */
  next: v.exactOptional(moment),
  /** This card must not be retried off-session, not even when the office asks for it. */
  final: v.exactOptional(v.literal(true)),
});
export type BalanceDecline = v.InferOutput<typeof declineSchema>;

/**
 * Metadata keys of a balance. Each is written by one process: `paying` by the app, the others by the worker.
 * A new payment of a balance copies `try` and `tried` from the one that was cancelled before it.
 */
export const BALANCE_MARKS = {
  try: 'try',
  decline: 'tried',
  paying: 'paying',
  beforeFee: 'before-fee',
} as const;

const wholeNumber = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number));

/** As stored with a payment of a balance. */
const marksSchema = v.object({
  [BALANCE_MARKS.try]: v.optional(wholeNumber, '0'),
  [BALANCE_MARKS.decline]: v.exactOptional(v.pipe(v.string(), v.parseJson(), declineSchema)),
  [BALANCE_MARKS.paying]: v.exactOptional(moment),
  [BALANCE_MARKS.beforeFee]: wholeNumber,
});

/** In the metadata: the deposit that a balance belongs to. */
const DEPOSIT_OF_BALANCE = 'deposit';

/** The deposit that a payment of a balance belongs to; undefined for all other payments. */
export function depositOfBalance({ metadata }: Stripe.PaymentIntent): string | undefined {
  return metadata.kind === 'balance' ? metadata[DEPOSIT_OF_BALANCE] : undefined;
}

/**
 * The paid balance, or else the newest one that was not cancelled: another open one beside it must not be
 * charged.
 * @param balances the newest first
 */
export function balanceInForce(balances: readonly PaymentRow[]): PaymentRow | undefined {
  return (
    balances.find(({ status }) => status === 'paid') ?? balances.find(({ status }) => status !== 'cancelled')
  );
}

/** The marks that a new payment of a balance copies: the record of a card's tries outlives the payment. */
export function triesMarksOf({ tries, decline }: BalancePayment): Stripe.MetadataParam {
  return {
    ...(tries > 0 && { [BALANCE_MARKS.try]: String(tries) }),
    ...(decline && { [BALANCE_MARKS.decline]: JSON.stringify(decline) }),
  };
}

/**
 * A payment of a balance on record.
 * @throws {AppError} when its metadata hold data that this site did not write, or it was paid with another
 *   amount
 */
export function readBalance(
  { id, status, asMade, cents, paidAt, marks: text }: PaymentRow,
  paidWith: PaidCard | undefined,
): BalancePayment {
  const marks = v.safeParse(v.pipe(v.string(), v.parseJson(), marksSchema), text);
  if (!marks.success) throw unreadablePayment(`${id} has metadata of a balance that cannot be read`);
  const { try: tries, tried: decline, paying, 'before-fee': beforeFeeCents } = marks.output;
  if (status === 'paid' && asMade === 0)
    throw unreadablePayment(`${id} is a balance that was paid with another amount than this site asked for`);
  return {
    id,
    status: status === 'paid' || status === 'cancelled' ? status : 'open',
    tries,
    ...(decline && { decline }),
    ...(paying && { payingSince: paying }),
    cents,
    beforeFeeCents,
    ...(paidAt !== null && { paidAt: new Date(paidAt) }),
    ...(paidWith && { paidWith }),
  };
}
