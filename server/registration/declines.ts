import type Stripe from 'stripe';
import { type DeclineReason, declineReasons } from '#shared/own-page.ts';
import type { Decline } from './balance.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days after each decline until the card is retried: four tries in all. Card networks allow 15 to 20 in 30 days. */
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
 * The same for Mastercard's own advice codes: the account has changed, do not try again, a token is wrong, the payment was
 * stopped, the product is not sold this way, a single-use card, a sanction. https://docs.stripe.com/declines/network-codes
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
  tried: Pick<Decline, 'try' | 'at' | 'card' | 'step'>,
  endsAt: Date,
): Decline {
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

/** Begins the codes of tries that Stripe did not carry out; the rest is Stripe's code or the parameter that it names. */
export const NOT_TRIED = 'not_tried_';

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
  return code.startsWith(NOT_TRIED) ? 'not-tried' : (reasons.get(code) ?? 'declined');
}
