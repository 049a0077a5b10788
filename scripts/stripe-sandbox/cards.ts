import * as v from 'valibot';
import {
  type Account,
  type AdviceCode,
  type AttemptError,
  type Behaviour,
  type BillingDetails,
  type Decline,
  newId,
  type PaymentMethod,
} from './account.ts';
import { ApiError } from './answer.ts';
import { integer } from './routes.ts';

/**
 * The declines whose advice is not "try again later". Stripe documents the possible advice codes, but not which decline
 * code has which advice: it is what the code's description suggests. https://docs.stripe.com/declines/codes
 */
const ADVICE: Readonly<Record<string, AdviceCode | null>> = {
  authentication_required: null,
  card_not_supported: 'do_not_try_again',
  do_not_try_again: 'do_not_try_again',
  expired_card: 'do_not_try_again',
  incorrect_cvc: 'confirm_card_data',
  lost_card: 'do_not_try_again',
  stolen_card: 'do_not_try_again',
};

/** What Stripe tells the cardholder where it says more than that the card was declined. */
const MESSAGES: Readonly<Record<string, string>> = {
  authentication_required: 'Your card was declined. This transaction requires authentication.',
  insufficient_funds: 'Your card has insufficient funds.',
};

/** The declines whose error code is not `card_declined`. https://docs.stripe.com/testing#declined-payments */
const ERROR_CODES = ['authentication_required', 'expired_card', 'incorrect_cvc', 'processing_error'];

export function declineOf(name: string): Decline {
  const isErrorCode = ERROR_CODES.includes(name);
  const usual = name in ADVICE ? ADVICE[name] : 'try_again_later';
  return {
    code: isErrorCode ? name : 'card_declined',
    message: MESSAGES[name] ?? 'Your card was declined.',
    decline_code: isErrorCode && name !== 'authentication_required' ? undefined : name,
    advice_code: usual ?? undefined,
  };
}

export function declineError(
  decline: Decline,
  payment_method: PaymentMethod,
  chargeId?: string,
): AttemptError {
  return { type: 'card_error', ...decline, ...(chargeId && { charge: chargeId }), payment_method };
}

/**
 * The card numbers that Stripe publishes for tests, each with its ready-made payment method without `pm_card_`.
 * https://docs.stripe.com/testing
 */
const CARDS: readonly (readonly [number: string, name: string, behaviour?: Behaviour])[] = [
  ['4242424242424242', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['378282246310005', 'amex'],
  ['6011111111111117', 'discover'],
  ['4000002500003155', 'authenticationRequiredOnSetup', { asks: 'unless-set-up' }],
  ['4000002760003184', 'authenticationRequired', { asks: 'always' }],
  ['4000000000003220', 'threeDSecure2Required', { asks: 'always' }],
  ['4000000000000341', 'chargeCustomerFail', { declines: 'generic_decline', storable: true }],
  ['4000000000000002', 'visa_chargeDeclined', { declines: 'generic_decline' }],
  ['4000000000009995', 'visa_chargeDeclinedInsufficientFunds', { declines: 'insufficient_funds' }],
  ['4000000000009987', 'visa_chargeDeclinedLostCard', { declines: 'lost_card' }],
  ['4000000000009979', 'visa_chargeDeclinedStolenCard', { declines: 'stolen_card' }],
  ['4000000000000069', 'chargeDeclinedExpiredCard', { declines: 'expired_card' }],
  ['4000000000000127', 'chargeDeclinedIncorrectCvc', { declines: 'incorrect_cvc' }],
  ['4000000000000119', 'chargeDeclinedProcessingError', { declines: 'processing_error' }],
  ['4000000000007726', 'pendingRefund', { refunds: 'pending-first' }],
  ['4000000000005126', 'refundFail', { refunds: 'fail-later' }],
  ['4000000000000259', 'createDispute', { disputes: 'needs_response' }],
  ['4000000000001976', 'createDisputeInquiry', { disputes: 'warning_needs_response' }],
];

function storeCard(
  account: Account,
  [number, , { declines, ...behaviour } = {}]: (typeof CARDS)[number],
  expires: Pick<PaymentMethod['card'], 'exp_month' | 'exp_year'>,
  billing_details: BillingDetails,
): PaymentMethod {
  const brand = BRANDS[number.charAt(0)] ?? 'visa';
  const paymentMethod: PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    type: 'card',
    billing_details,
    card: { ...expires, brand, country: 'US', last4: number.slice(-4), funding: 'credit' },
    created: account.nowSeconds(),
    customer: null,
  };
  const decline = declines === undefined ? null : declineOf(declines);
  account.cards.set(paymentMethod.id, { ...behaviour, decline, setUp: false, spent: false });
  return account.save(paymentMethod);
}

export const NOBODY: BillingDetails = { name: null, email: null, phone: null, address: null };

const BRANDS: Record<string, string> = { 3: 'amex', 4: 'visa', 5: 'mastercard', 6: 'discover' };

/** A ready-made one such as `pm_card_visa` is made on demand. */
export function resolvePaymentMethod(account: Account, id: string): PaymentMethod {
  const card = CARDS.find(([, name]) => id === `pm_card_${name}`);
  if (!card) return account.find('payment_method', id, 'payment_method');
  const exp_year = new Date(account.nowSeconds() * 1000).getUTCFullYear() + 1;
  return storeCard(account, card, { exp_month: 12, exp_year }, NOBODY);
}

export const cardParameters = v.strictObject({
  number: v.string(),
  exp_month: integer,
  exp_year: integer,
  cvc: v.exactOptional(v.string()),
});

export function createPaymentMethod(
  account: Account,
  { number, exp_month, exp_year: year }: v.InferOutput<typeof cardParameters>,
  billing_details: BillingDetails,
): PaymentMethod {
  const exp_year = 2000 + (year % 100);
  const card = CARDS.find(([known]) => known === number);
  if (card && Date.UTC(exp_year, exp_month) > account.nowSeconds() * 1000)
    return storeCard(account, card, { exp_month, exp_year }, billing_details);
  const refused = card
    ? { message: "Your card's expiration year is invalid.", param: 'exp_year', code: 'invalid_expiry_year' }
    : { message: NO_TEST_CARD, param: 'number', code: 'card_declined', decline_code: 'test_mode_live_card' };
  throw new ApiError(402, { type: 'card_error', ...refused });
}

const NO_TEST_CARD =
  "Your card was declined. This is a sandbox: it takes Stripe's test card numbers only, such as 4242 4242 4242 4242.";
