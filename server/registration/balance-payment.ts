import type Stripe from 'stripe';
import type { AttemptRow, PaymentRow } from '#server/database/schema.ts';
import { type DeclineReason, declineReasons } from '#shared/own-page.ts';
import { unreadablePayment } from './acts.ts';
import type { PaidCard } from './card-on-file.ts';

/** The PaymentIntent of the balance, or of a part of it: the paid or open one, else the last cancelled one. */
export interface BalancePayment {
  id: string;
  /** The number of the part of a payment plan; absent where it is none. */
  part?: number | undefined;
  status: 'open' | 'cancelled' | 'paid';
  /**
   * Off-session tries of the balance, including those of cancelled payments; the last try may still be in
   * progress.
   */
  tries: number;
  /** How the last completed try failed. */
  decline?: BalanceDecline | undefined;
  /** When she began to pay it on her page. */
  payingSince?: Date | undefined;
  /** US cents: what it charges, and without the card fee. */
  cents: number;
  beforeFeeCents: number;
  paidAt?: Date | undefined;
  /** Absent while it is not paid. */
  paidWith?: PaidCard | undefined;
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
  next?: Date | undefined;
  /** This card must not be retried off-session, not even when the office asks for it. */
  final?: true | undefined;
}

/**
 * Of the balance, and of each part of it, the payments that count: those that are paid, and the newest one that was not
 * cancelled, since another open one beside it must not be charged; or else the newest one.
 */
export function balancesInForce(payments: readonly PaymentRow[]): readonly PaymentRow[] {
  const balances = payments.filter(({ name }) => name === 'balance');
  return [...new Set(balances.map(({ part }) => part))].flatMap((part) => {
    const own = balances.filter((payment) => payment.part === part);
    const paid = own.filter(({ status }) => status === 'paid');
    const open = own.find(({ status }) => status === 'open' || status === 'processing');
    const inForce = [...paid, ...(open ? [open] : [])];
    return inForce.length > 0 ? inForce : own.slice(0, 1);
  });
}

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
  return {
    id,
    part: part > 0 ? part : undefined,
    status: status === 'paid' || status === 'cancelled' ? status : 'open',
    tries: own.at(-1)?.number ?? 0,
    decline: lastDeclineOf(own),
    payingSince,
    cents,
    beforeFeeCents,
    paidAt: paidAt ?? undefined,
    paidWith,
  };
}

function lastDeclineOf(attempts: readonly AttemptRow[]): BalanceDecline | undefined {
  const last = attempts.findLast(({ code }) => code !== null);
  if (!last || last.code === null || last.endedAt === null) return undefined;
  const { number, endedAt, code, card, step, nextAt, final } = last;
  return {
    try: number,
    at: endedAt,
    code,
    card,
    step,
    next: nextAt ?? undefined,
    final: final === 1 || undefined,
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Days after each decline until the card is retried: four tries in all. Card networks allow 15 to 20 in 30
 * days.
 */
const RETRY_DAYS = [1, 3, 7];

/** How often one balance is tried in all, with whatever cards. */
export const MOST_TRIES = 12;

/** Her bank wants her to confirm the payment: no off-session try can succeed. */
const AUTHENTICATION = 'authentication_required';

/**
 * Decline codes after which a card must not be retried, whatever else is advised: card networks fine
 * merchants who do.
 * @see https://docs.stripe.com/declines/codes
 */
const NEVER_AGAIN = new Set([
  'do_not_try_again',
  'expired_card',
  'invalid_account',
  'lost_card',
  'pickup_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'stolen_card',
  'transaction_not_allowed',
]);

/** The same for Stripe's advice codes. https://docs.stripe.com/declines/card#retrying-issuer-declines */
const NEVER_AGAIN_ADVICE = new Set(['confirm_card_data', 'do_not_try_again']);

/**
 * The same for Mastercard's own advice codes: the account has changed, do not try again, a token is wrong,
 * the payment was stopped, the product is not sold this way, a single-use card, a sanction.
 * https://docs.stripe.com/declines/network-codes
 */
const NEVER_AGAIN_NETWORK = new Set(['01', '03', '04', '21', '22', '41', '42', '99']);

/** Mastercard's advice codes that set a minimum pause, and the days after which the card may be retried. */
const NETWORK_DAYS = new Map([
  ['26', 2],
  ['27', 4],
  ['28', 6],
  ['29', 8],
  ['30', 10],
]);

export type Refusal = Pick<
  Stripe.PaymentIntent.LastPaymentError,
  'code' | 'decline_code' | 'advice_code' | 'network_advice_code'
>;

/**
 * A decline as it is recorded: with the time of the next try, or the mark that the card must not be retried.
 * @param endsAt the end of the retreat: nothing is tried after it
 */
export function declineOf(
  refusal: Refusal,
  tried: Pick<BalanceDecline, 'try' | 'at' | 'card' | 'step'>,
  endsAt: Date,
): BalanceDecline {
  // The SDK gives '' where there is none: some declines are reported in the error's code only.
  const code = refusal.decline_code || refusal.code || 'card_declined';
  const decline = { ...tried, code };
  if (isFinal(code, refusal)) return { ...decline, final: true };
  const days = RETRY_DAYS[tried.step - 1];
  if (days === undefined || tried.try >= MOST_TRIES) return decline;
  const wait = Math.max(days, NETWORK_DAYS.get(refusal.network_advice_code ?? '') ?? 0);
  const next = new Date(tried.at.getTime() + wait * DAY_MS);
  return next < endsAt ? { ...decline, next } : decline;
}

function isFinal(code: string, { advice_code, network_advice_code }: Refusal): boolean {
  return (
    code === AUTHENTICATION ||
    NEVER_AGAIN.has(code) ||
    NEVER_AGAIN_ADVICE.has(advice_code ?? '') ||
    NEVER_AGAIN_NETWORK.has(network_advice_code ?? '')
  );
}

/** @see https://docs.stripe.com/declines/codes */
const CODES: Readonly<Partial<Record<DeclineReason, readonly string[]>>> = {
  'insufficient-funds': ['insufficient_funds', 'card_velocity_exceeded', 'withdrawal_count_limit_exceeded'],
  expired: ['expired_card'],
  authentication: [
    'authentication_required',
    'authentication_not_handled',
    'mobile_device_authentication_required',
    'payment_intent_authentication_failure',
  ],
  'card-data': [
    'confirm_card_data',
    'incorrect_address',
    'incorrect_cvc',
    'incorrect_number',
    'incorrect_zip',
    'invalid_cvc',
    'invalid_expiry_month',
    'invalid_expiry_year',
    'invalid_number',
    'new_account_information_available',
  ],
  'card-blocked': [
    'card_not_supported',
    'currency_not_supported',
    'do_not_try_again',
    'fraudulent',
    'invalid_account',
    'lost_card',
    'merchant_blacklist',
    'pickup_card',
    'restricted_card',
    'revocation_of_all_authorizations',
    'revocation_of_authorization',
    'security_violation',
    'service_not_allowed',
    'stolen_card',
    'stop_payment_order',
    'transaction_not_allowed',
  ],
};

const reasons = new Map(
  declineReasons.flatMap((reason) => (CODES[reason] ?? []).map((code) => [code, reason] as const)),
);

/**
 * What a decline means for the person whose card it is. That a card is lost or stolen is not revealed:
 * whoever holds it may not be its owner.
 * @param code Stripe's decline code, or its error's code
 */
export function reasonOfDecline(code: string): DeclineReason {
  return reasons.get(code) ?? 'declined';
}
