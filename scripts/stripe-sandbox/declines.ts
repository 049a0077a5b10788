import { docUrl } from './answer.ts';
import type { AdviceCode, AttemptError, Charge, Decline, StoredPaymentMethod } from './objects.ts';

/**
 * Advice that a test makes the bank give besides the decline code; null means none, where the bank usually
 * gives some.
 */
export type DeclineAdvice = { adviceCode?: AdviceCode | null; networkAdviceCode?: string };

const UNEXPLAINED = 'Your card was declined.';
const WRONG_PURCHASE = 'Your card does not support this type of purchase.';

type Row = readonly [network: string, advice: AdviceCode | null, message?: string];

/**
 * Stripe's decline codes for card payments on the web. Stripe documents the possible advice codes, but not
 * which decline code has which advice: the advice here is what the code's description suggests, and the
 * network's codes are those of ISO 8583. https://docs.stripe.com/declines/codes
 */
const DECLINES = new Map<string, Row>([
  ['approve_with_id', ['01', 'try_again_later']],
  ['authentication_required', ['1A', null, `${UNEXPLAINED} This transaction requires authentication.`]],
  ['call_issuer', ['01', 'try_again_later']],
  ['card_not_supported', ['57', 'do_not_try_again', WRONG_PURCHASE]],
  [
    'card_velocity_exceeded',
    [
      '65',
      'try_again_later',
      'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
    ],
  ],
  ['currency_not_supported', ['12', 'do_not_try_again', 'Your card does not support this currency.']],
  ['do_not_honor', ['05', 'try_again_later']],
  ['do_not_try_again', ['05', 'do_not_try_again']],
  ['expired_card', ['54', 'do_not_try_again', 'Your card has expired.']],
  ['fraudulent', ['59', 'do_not_try_again']],
  ['generic_decline', ['01', 'try_again_later']],
  ['incorrect_cvc', ['N7', 'confirm_card_data', "Your card's security code is incorrect."]],
  ['incorrect_number', ['14', 'confirm_card_data', 'Your card number is incorrect.']],
  ['incorrect_zip', ['05', 'confirm_card_data', 'The zip code you supplied failed validation.']],
  ['insufficient_funds', ['51', 'try_again_later', 'Your card has insufficient funds.']],
  ['invalid_account', ['14', 'do_not_try_again', 'Invalid account.']],
  ['invalid_amount', ['13', 'do_not_try_again', 'Invalid amount.']],
  ['issuer_not_available', ['91', 'try_again_later']],
  ['lost_card', ['41', 'do_not_try_again']],
  ['new_account_information_available', ['46', 'do_not_try_again']],
  ['no_action_taken', ['21', 'try_again_later']],
  ['not_permitted', ['57', 'do_not_try_again', WRONG_PURCHASE]],
  ['pickup_card', ['04', 'do_not_try_again']],
  [
    'processing_error',
    ['96', 'try_again_later', 'An error occurred while processing your card. Try again in a little bit.'],
  ],
  ['reenter_transaction', ['19', 'try_again_later']],
  ['restricted_card', ['62', 'do_not_try_again']],
  ['revocation_of_all_authorizations', ['R3', 'do_not_try_again']],
  ['revocation_of_authorization', ['R1', 'do_not_try_again']],
  ['security_violation', ['63', 'do_not_try_again']],
  ['service_not_allowed', ['57', 'do_not_try_again', WRONG_PURCHASE]],
  ['stolen_card', ['43', 'do_not_try_again']],
  ['stop_payment_order', ['R0', 'do_not_try_again']],
  ['transaction_not_allowed', ['57', 'do_not_try_again', WRONG_PURCHASE]],
  ['try_again_later', ['91', 'try_again_later']],
  ['withdrawal_count_limit_exceeded', ['65', 'try_again_later']],
]);

/**
 * The declines that have an error code of their own instead of `card_declined`.
 * https://docs.stripe.com/testing#declined-payments
 */
const ERROR_CODES = new Set([
  ...['authentication_required', 'expired_card', 'incorrect_cvc', 'incorrect_number', 'incorrect_zip'],
  'processing_error',
]);

/** The names of all declines. */
export const DECLINE_CODES: readonly string[] = [...DECLINES.keys()];

/** The decline of this code. Throws for a code that Stripe does not document. */
export function declineOf(declineCode: string, advice: DeclineAdvice = {}): Decline {
  const row = DECLINES.get(declineCode);
  if (!row) throw new Error(`Stripe documents no decline code ${declineCode}`);
  const [networkDeclineCode, usualAdvice, message = UNEXPLAINED] = row;
  const isErrorCode = ERROR_CODES.has(declineCode);
  const adviceCode = advice.adviceCode === undefined ? usualAdvice : advice.adviceCode;
  return {
    code: isErrorCode ? declineCode : 'card_declined',
    ...(isErrorCode && declineCode !== 'authentication_required' ? {} : { declineCode }),
    message,
    ...(adviceCode && { adviceCode }),
    ...(advice.networkAdviceCode !== undefined && { networkAdviceCode: advice.networkAdviceCode }),
    networkDeclineCode,
  };
}

/**
 * The failed attempt as Stripe reports it: in `last_payment_error` or `last_setup_error`, and as the answer's error.
 * https://docs.stripe.com/api/errors
 */
export function declineError(
  decline: Decline,
  { paymentMethod }: StoredPaymentMethod,
  chargeId?: string,
): AttemptError {
  const { code, declineCode, message, adviceCode, networkAdviceCode, networkDeclineCode } = decline;
  return {
    type: 'card_error',
    code,
    ...(adviceCode && { advice_code: adviceCode }),
    ...(declineCode !== undefined && { decline_code: declineCode }),
    ...(networkAdviceCode !== undefined && { network_advice_code: networkAdviceCode }),
    ...(networkDeclineCode !== undefined && { network_decline_code: networkDeclineCode }),
    doc_url: docUrl(code),
    message,
    ...(chargeId !== undefined && { charge: chargeId }),
    payment_method: paymentMethod,
  };
}

/**
 * A charge's report of the bank's answer. https://docs.stripe.com/api/charges/object#charge_object-outcome
 */
export function outcomeOf(decline: Decline | null): Charge['outcome'] {
  if (decline === null) {
    const silence = {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      reason: null,
    };
    const approval = { network_status: 'approved_by_network', type: 'authorized' };
    return { ...silence, ...approval, seller_message: 'Payment complete.' };
  }
  const reason = decline.declineCode ?? decline.code;
  return {
    advice_code: decline.adviceCode ?? null,
    network_advice_code: decline.networkAdviceCode ?? null,
    network_decline_code: decline.networkDeclineCode ?? null,
    network_status: 'declined_by_network',
    reason,
    seller_message: `The bank returned the decline code \`${reason}\`.`,
    type: 'issuer_declined',
  };
}
