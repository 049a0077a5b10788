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
import { integer, text } from './routes.ts';

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
  ['4000003800000446', 'authenticationRequiredSetupForOffSession', { asks: 'on-session' }],
  [
    '4000008260003178',
    'authenticationRequiredChargeDeclinedInsufficientFunds',
    { asks: 'unless-set-up', declines: 'insufficient_funds', storable: true },
  ],
  ['4000000000003220', 'threeDSecure2Required', { asks: 'always' }],
  ['4000008400001629', 'threeDSecureRequiredChargeDeclined', { asks: 'always', declines: 'generic_decline' }],
  ['4000000000000341', 'chargeCustomerFail', { declines: 'generic_decline', storable: true }],
  ['4000000000000002', 'visa_chargeDeclined', { declines: 'generic_decline' }],
  ['4000000000009995', 'visa_chargeDeclinedInsufficientFunds', { declines: 'insufficient_funds' }],
  ['4000000000009987', 'visa_chargeDeclinedLostCard', { declines: 'lost_card' }],
  ['4000000000009979', 'visa_chargeDeclinedStolenCard', { declines: 'stolen_card' }],
  ['4000000000000069', 'chargeDeclinedExpiredCard', { declines: 'expired_card' }],
  ['4000000000000127', 'chargeDeclinedIncorrectCvc', { declines: 'incorrect_cvc' }],
  ['4000000000000119', 'chargeDeclinedProcessingError', { declines: 'processing_error' }],
  ['4000000000006975', 'visa_chargeDeclinedVelocityLimitExceeded', { declines: 'card_velocity_exceeded' }],
  ['4000000000007726', 'pendingRefund', { refunds: 'pending-first' }],
  ['4000000000005126', 'refundFail', { refunds: 'fail-later' }],
  ['4000000000000259', 'createDispute', { disputes: { reason: 'fraudulent' } }],
  ['4000000000002685', 'createDisputeProductNotReceived', { disputes: { reason: 'product_not_received' } }],
  ['4000000000001976', 'createDisputeInquiry', { disputes: { status: 'warning_needs_response' } }],
];

const OFF_SESSION = {
  always: 'off-session always declined',
  'unless-set-up': 'off-session declined unless it was set up',
  'on-session': 'off-session none is required',
};

const REFUNDS = {
  'pending-first': 'refunds are pending, and succeed later',
  'fail-later': 'refunds succeed, and fail later',
};

function describe({ asks, declines, storable, refunds, disputes }: Behaviour): string {
  const course = [
    asks && '3-D Secure',
    declines ? `declined: ${declines.replaceAll('_', ' ')}` : 'success',
    refunds && REFUNDS[refunds],
    disputes && `disputed: ${disputes.reason?.replaceAll('_', ' ') ?? 'inquiry'}`,
  ].filter((word) => word !== undefined);
  const remarks = [storable ? 'it can be stored' : '', asks ? OFF_SESSION[asks] : ''].filter(Boolean);
  return [course.join(', then '), ...remarks].join('; ');
}

/** What happens with each card number, as the sandbox's page tells it. */
export const CARD_WORDS: readonly (readonly [number: string, meaning: string])[] = CARDS.map(
  ([number, , behaviour = {}]) => {
    const groups = number.length === 15 ? /^(.{4})(.{6})(.{5})$/ : /^(.{4})(.{4})(.{4})(.{4})$/;
    return [number.replace(groups, (_all, ...parts) => parts.slice(0, -2).join(' ')), describe(behaviour)];
  },
);

/** Stores a card as a payment method that belongs to no customer yet. */
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

/** The payment method that a parameter names; a ready-made one such as `pm_card_visa` is created on demand. */
export function resolvePaymentMethod(account: Account, id: string): PaymentMethod {
  const card = CARDS.find(([, name]) => id === `pm_card_${name}`);
  if (!card) return account.find('payment_method', id, 'payment_method');
  const exp_year = new Date(account.nowSeconds() * 1000).getUTCFullYear() + 1;
  return storeCard(account, card, { exp_month: 12, exp_year }, NOBODY);
}

/** A card as it is typed; its year has two digits or four. */
export const cardParameters = v.strictObject({
  number: text(64),
  exp_month: integer,
  exp_year: integer,
  cvc: v.exactOptional(text(16)),
});

/** Stores a card as it is typed. Throws a card error for an unknown number, and for an impossible date or CVC. */
export function createPaymentMethod(
  account: Account,
  typed: v.InferOutput<typeof cardParameters>,
  billing_details: BillingDetails,
): PaymentMethod {
  const refuse = (message: string, param: string, code: string, more = {}) =>
    new ApiError(402, { type: 'card_error', message, param, code, ...more });
  const { number, cvc, exp_month } = typed;
  const exp_year = 2000 + (typed.exp_year % 100);
  const card = CARDS.find(([known]) => known === number);
  if (!card) {
    const message = `Your card was declined. This is a sandbox: it takes Stripe's test card numbers only, such as 4242 4242 4242 4242.`;
    throw refuse(message, 'number', 'card_declined', { decline_code: 'test_mode_live_card' });
  }
  if (exp_month < 1 || exp_month > 12) {
    throw refuse("Your card's expiration month is invalid.", 'exp_month', 'invalid_expiry_month');
  }
  if (Date.UTC(exp_year, exp_month) <= account.nowSeconds() * 1000) {
    throw refuse("Your card's expiration year is invalid.", 'exp_year', 'invalid_expiry_year');
  }
  const digits = card[0].length === 15 ? /^\d{4}$/ : /^\d{3}$/;
  if (cvc !== undefined && !digits.test(cvc)) {
    throw refuse("Your card's security code is invalid.", 'cvc', 'invalid_cvc');
  }
  return storeCard(account, card, { exp_month, exp_year }, billing_details);
}
