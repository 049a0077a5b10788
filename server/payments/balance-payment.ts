import type Stripe from 'stripe';
import * as v from 'valibot';
import { type PaidCard, readPaidCard } from './card-on-file.ts';
import { moment } from './decisions.ts';
import { unreadablePayment } from './provider-errors.ts';
import { chargedAt, recognise } from './recognise-deposit.ts';

/** The PaymentIntent of the balance: the one that is paid or open, else the last one that was cancelled. */
export interface BalancePayment {
  id: string;
  status: 'open' | 'cancelled' | 'paid';
  /** How often the balance was tried without her, those of cancelled payments included; the last try may be under way. */
  tries: number;
  /** How the last try that came to an end failed. */
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

/** How a try to charge the card without her failed. */
export const declineSchema = v.object({
  /** The first is 1. */
  try: v.number(),
  at: moment,
  /** Stripe's decline code, or its error's code. */
  code: v.string(),
  /** The payment method that was refused. */
  card: v.string(),
  /** How many tries this card has had since she gave it or the office asked for one; the next pause goes by it. */
  step: v.number(),
  /** When it is tried again; absent when it is not. */
  next: v.exactOptional(moment),
  /** This card must not be tried again without her, not even when the office asks for it. */
  final: v.exactOptional(v.literal(true)),
});
export type BalanceDecline = v.InferOutput<typeof declineSchema>;

/**
 * In the metadata of a balance. Each is written by one process: `paying` by the app, the others by the worker. A new
 * payment of a balance takes `try` and `tried` over from the one that was cancelled before it.
 */
export const BALANCE_MARKS = {
  try: 'try',
  decline: 'tried',
  paying: 'paying',
  beforeFee: 'before-fee',
} as const;

const wholeNumber = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number));

const marksSchema = v.object({
  [BALANCE_MARKS.try]: v.optional(wholeNumber, '0'),
  [BALANCE_MARKS.decline]: v.exactOptional(v.pipe(v.string(), v.parseJson(), declineSchema)),
  [BALANCE_MARKS.paying]: v.exactOptional(moment),
  [BALANCE_MARKS.beforeFee]: wholeNumber,
});

/** In the metadata: the deposit that a balance belongs to. */
const DEPOSIT_OF_BALANCE = 'deposit';

/** The deposit that a payment is the balance of; undefined for all other payments. */
export function depositOfBalance({ metadata }: Stripe.PaymentIntent): string | undefined {
  return metadata.kind === 'balance' ? metadata[DEPOSIT_OF_BALANCE] : undefined;
}

/** Of some payments those of the balance of a deposit, the newest first. */
export function balancesOf(
  payments: readonly Stripe.PaymentIntent[],
  depositId: string,
): Stripe.PaymentIntent[] {
  return payments
    .filter((payment) => depositOfBalance(payment) === depositId)
    .toSorted((one, other) => other.created - one.created);
}

/** The one that is paid, or else the newest that was not cancelled: one that is open beside it must not be charged. */
export function balanceInForce(balances: readonly Stripe.PaymentIntent[]): Stripe.PaymentIntent | undefined {
  return (
    balances.find(({ status }) => status === 'succeeded') ??
    balances.find(({ status }) => status !== 'canceled')
  );
}

/** What a new payment of a balance takes over: what is known of a card does not end with a payment. */
export function triesMarksOf({ tries, decline }: BalancePayment): Stripe.MetadataParam {
  return {
    ...(tries > 0 && { [BALANCE_MARKS.try]: String(tries) }),
    ...(decline && { [BALANCE_MARKS.decline]: JSON.stringify(decline) }),
  };
}

/** @throws {AppError} when its metadata hold what this site did not write, or it was paid with another amount */
export function readBalance(intent: Stripe.PaymentIntent): BalancePayment {
  const { id, amount, metadata } = intent;
  const marks = v.safeParse(marksSchema, metadata);
  if (!marks.success) throw unreadablePayment(`${id} has metadata of a balance that cannot be read`);
  const { try: tries, tried: decline, paying, 'before-fee': beforeFeeCents } = marks.output;
  const paidAt = intent.status === 'succeeded' ? chargedAt(intent) : undefined;
  if (paidAt && recognise(intent) === 'altered')
    throw unreadablePayment(`${id} is a balance that was paid with another amount than this site asked for`);
  const paidWith = paidAt && readPaidCard(intent);
  return {
    id,
    status: paidAt ? 'paid' : intent.status === 'canceled' ? 'cancelled' : 'open',
    tries,
    ...(decline && { decline }),
    ...(paying && { payingSince: paying }),
    cents: amount,
    beforeFeeCents,
    ...(paidAt && { paidAt }),
    ...(paidWith && { paidWith }),
  };
}
