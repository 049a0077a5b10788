import { docUrl } from './answer.ts';
import type { AdviceCode, AttemptError, Charge, Decline, PaymentMethod } from './objects.ts';

/** Advice that a test makes the bank give; null means none, where the bank usually gives some. */
export type DeclineAdvice = { adviceCode?: AdviceCode | null; networkAdviceCode?: string };

const UNEXPLAINED = 'Your card was declined.';
const WRONG_PURCHASE = 'Your card does not support this type of purchase.';
const TOO_OFTEN =
  'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.';
const TRY_AGAIN = 'An error occurred while processing your card. Try again in a little bit.';

type Row = readonly [network: string, advice: AdviceCode | undefined, message?: string];

/**
 * Stripe's decline codes for card payments on the web. Stripe documents the possible advice codes, but not
 * which decline code has which advice: the advice here is what the code's description suggests, and the
 * network's codes are those of ISO 8583. https://docs.stripe.com/declines/codes
 */
const DECLINES = new Map<string, Row>([
  ['approve_with_id', ['01', 'try_again_later']],
  ['authentication_required', ['1A', undefined, `${UNEXPLAINED} This transaction requires authentication.`]],
  ['call_issuer', ['01', 'try_again_later']],
  ['card_not_supported', ['57', 'do_not_try_again', WRONG_PURCHASE]],
  ['card_velocity_exceeded', ['65', 'try_again_later', TOO_OFTEN]],
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
  ['processing_error', ['96', 'try_again_later', TRY_AGAIN]],
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

/** The declines whose error code is not `card_declined`. https://docs.stripe.com/testing#declined-payments */
const ERROR_CODES = new Set([
  ...['authentication_required', 'expired_card', 'incorrect_cvc', 'incorrect_number', 'incorrect_zip'],
  'processing_error',
]);

/** The names of all declines. */
export const DECLINE_CODES: readonly string[] = [...DECLINES.keys()];

/** The decline of this code. Throws for a code that Stripe does not document. */
export function declineOf(name: string, { adviceCode, networkAdviceCode }: DeclineAdvice = {}): Decline {
  const row = DECLINES.get(name);
  if (!row) throw new Error(`Stripe documents no decline code ${name}`);
  const [network_decline_code, usualAdvice, message = UNEXPLAINED] = row;
  const isErrorCode = ERROR_CODES.has(name);
  return {
    code: isErrorCode ? name : 'card_declined',
    message,
    decline_code: isErrorCode && name !== 'authentication_required' ? undefined : name,
    advice_code: adviceCode === undefined ? usualAdvice : (adviceCode ?? undefined),
    network_advice_code: networkAdviceCode,
    network_decline_code,
  };
}

/** The failed attempt as Stripe reports it, in the intent and as the answer. https://docs.stripe.com/api/errors */
export function declineError(
  decline: Decline,
  payment_method: PaymentMethod,
  chargeId?: string,
): AttemptError {
  const charge = chargeId === undefined ? {} : { charge: chargeId };
  return { type: 'card_error', ...decline, doc_url: docUrl(decline.code), ...charge, payment_method };
}

/** A charge's report of the bank's answer. https://docs.stripe.com/api/charges/object#charge_object-outcome */
export function bankAnswer(decline: Decline | null): Charge['outcome'] {
  const codes = {
    advice_code: decline?.advice_code ?? null,
    network_advice_code: decline?.network_advice_code ?? null,
    network_decline_code: decline?.network_decline_code ?? null,
  };
  if (decline === null) {
    const approval = { network_status: 'approved_by_network', reason: null, type: 'authorized' };
    return { ...codes, ...approval, seller_message: 'Payment complete.' };
  }
  const reason = decline.decline_code ?? decline.code;
  const seller_message = `The bank returned the decline code \`${reason}\`.`;
  return { ...codes, network_status: 'declined_by_network', reason, seller_message, type: 'issuer_declined' };
}
