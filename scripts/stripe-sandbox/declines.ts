import type { AdviceCode, AttemptError, Decline, PaymentMethod } from './objects.ts';

/** Advice that a test makes the bank give; null means none, where the bank usually gives some. */
export type DeclineAdvice = { adviceCode?: AdviceCode | null; networkAdviceCode?: string };

const NO_ADVICE = 'authentication_required';

/**
 * Stripe's decline codes for card payments on the web. Stripe documents the possible advice codes, but not
 * which decline code has which advice: the advice here is what the code's description suggests.
 * https://docs.stripe.com/declines/codes
 */
const CODES: Readonly<Record<AdviceCode, string>> = {
  confirm_card_data: 'incorrect_cvc incorrect_number incorrect_zip',
  do_not_try_again: `card_not_supported currency_not_supported do_not_try_again expired_card fraudulent invalid_account
    invalid_amount lost_card new_account_information_available not_permitted pickup_card restricted_card
    revocation_of_all_authorizations revocation_of_authorization security_violation service_not_allowed
    stolen_card stop_payment_order transaction_not_allowed`,
  try_again_later: `approve_with_id call_issuer card_velocity_exceeded do_not_honor generic_decline insufficient_funds
    issuer_not_available no_action_taken processing_error reenter_transaction try_again_later
    withdrawal_count_limit_exceeded`,
};

const ADVICE = new Map<string, AdviceCode | undefined>([
  [NO_ADVICE, undefined],
  ...(['confirm_card_data', 'do_not_try_again', 'try_again_later'] as const).flatMap((advice) =>
    CODES[advice].split(/\s+/).map((code) => [code, advice] as const),
  ),
]);

/** What Stripe tells the cardholder where it says more than that the card was declined. */
const MESSAGES: Readonly<Record<string, string>> = {
  authentication_required: 'Your card was declined. This transaction requires authentication.',
  card_velocity_exceeded:
    'Your card was declined for making repeated attempts too frequently or exceeding its amount limit.',
  expired_card: 'Your card has expired.',
  incorrect_cvc: "Your card's security code is incorrect.",
  incorrect_number: 'Your card number is incorrect.',
  insufficient_funds: 'Your card has insufficient funds.',
  processing_error: 'An error occurred while processing your card. Try again in a little bit.',
};

/** The declines whose error code is not `card_declined`. https://docs.stripe.com/testing#declined-payments */
const ERROR_CODES = new Set([
  NO_ADVICE,
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'incorrect_zip',
  'processing_error',
]);

/** The names of all declines. */
export const DECLINE_CODES: readonly string[] = [...ADVICE.keys()].toSorted();

/** The decline of this code. Throws for a code that Stripe does not document. */
export function declineOf(name: string, { adviceCode, networkAdviceCode }: DeclineAdvice = {}): Decline {
  if (!ADVICE.has(name)) throw new Error(`Stripe documents no decline code ${name}`);
  const isErrorCode = ERROR_CODES.has(name);
  return {
    code: isErrorCode ? name : 'card_declined',
    message: MESSAGES[name] ?? 'Your card was declined.',
    decline_code: isErrorCode && name !== NO_ADVICE ? undefined : name,
    advice_code: adviceCode === undefined ? ADVICE.get(name) : (adviceCode ?? undefined),
    network_advice_code: networkAdviceCode,
  };
}

/** The failed attempt as Stripe reports it, in the intent and as the answer. https://docs.stripe.com/api/errors */
export function declineError(
  decline: Decline,
  payment_method: PaymentMethod,
  chargeId?: string,
): AttemptError {
  const charge = chargeId === undefined ? {} : { charge: chargeId };
  return { type: 'card_error', ...decline, ...charge, payment_method };
}
