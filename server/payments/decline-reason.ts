import type { DeclineReason } from '#shared/place.ts';

/**
 * Why a card was refused, in words that she can act on. What a bank says of a lost or stolen card is not told: who holds
 * the card may not be its owner.
 * @see https://docs.stripe.com/declines/codes
 */
const codes: readonly (readonly [DeclineReason, readonly string[]])[] = [
  ['insufficient-funds', ['insufficient_funds', 'card_velocity_exceeded', 'withdrawal_count_limit_exceeded']],
  ['expired', ['expired_card']],
  [
    'authentication',
    ['authentication_required', 'authentication_not_handled', 'payment_intent_authentication_failure'],
  ],
  [
    'card-data',
    [
      'incorrect_number',
      'invalid_number',
      'incorrect_cvc',
      'invalid_cvc',
      'incorrect_zip',
      'incorrect_address',
      'invalid_expiry_month',
      'invalid_expiry_year',
    ],
  ],
  [
    'card-blocked',
    [
      'card_not_supported',
      'currency_not_supported',
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
  ],
];

const reasonByCode = new Map(codes.flatMap(([reason, known]) => known.map((code) => [code, reason])));

/** @param code Stripe's decline code, or its error's code */
export function reasonOf(code: string): DeclineReason {
  return reasonByCode.get(code) ?? 'declined';
}
