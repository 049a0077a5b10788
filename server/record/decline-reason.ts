import { type DeclineReason, declineReasons } from '#shared/own-page.ts';

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
