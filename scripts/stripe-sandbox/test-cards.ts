import { declineOf } from './declines.ts';
import type { CardBehaviour } from './objects.ts';

/** One of the card numbers that Stripe publishes for tests. https://docs.stripe.com/testing */
export type TestCard = {
  number: string;
  brand: 'visa' | 'mastercard' | 'amex' | 'discover';
  cvcLength: 3 | 4;
  /** The ready-made payment method that stands for this card in server-side tests. */
  paymentMethodId: string;
  behaviour: CardBehaviour;
  meaning: string;
};

const PLAIN: CardBehaviour = {
  authentication: 'never',
  decline: null,
  attaches: true,
  refund: 'at-once',
  dispute: null,
};

function visa(
  number: string,
  paymentMethodId: string,
  meaning: string,
  behaviour: Partial<CardBehaviour> = {},
): TestCard {
  return {
    number,
    brand: 'visa',
    cvcLength: 3,
    paymentMethodId,
    behaviour: { ...PLAIN, ...behaviour },
    meaning,
  };
}

/** Cards like these cannot be stored either. https://docs.stripe.com/testing#declined-payments */
const declined = (declineCode: string) => ({ decline: declineOf(declineCode), attaches: false });

/** Every card number that the sandbox accepts. */
export const TEST_CARDS: readonly TestCard[] = [
  visa('4242424242424242', 'pm_card_visa', 'Success'),
  {
    ...visa('5555555555554444', 'pm_card_mastercard', 'Success'),
    brand: 'mastercard',
  },
  {
    ...visa('378282246310005', 'pm_card_amex', 'Success, with a CVC of four digits'),
    brand: 'amex',
    cvcLength: 4,
  },
  {
    ...visa('6011111111111117', 'pm_card_discover', 'Success'),
    brand: 'discover',
  },
  // https://docs.stripe.com/testing#regulatory-cards
  visa(
    '4000002500003155',
    'pm_card_authenticationRequiredOnSetup',
    '3-D Secure, then success; none off-session once it is set up',
    { authentication: 'unless-set-up' },
  ),
  visa('4000002760003184', 'pm_card_authenticationRequired', '3-D Secure always, also off-session', {
    authentication: 'always',
  }),
  visa(
    '4000003800000446',
    'pm_card_authenticationRequiredSetupForOffSession',
    '3-D Secure, then success; set up for off-session from the start',
    { authentication: 'on-session' },
  ),
  visa(
    '4000008260003178',
    'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds',
    '3-D Secure, then declined: insufficient funds; can be stored',
    { authentication: 'unless-set-up', decline: declineOf('insufficient_funds') },
  ),
  visa('4000000000003220', 'pm_card_threeDSecure2Required', '3-D Secure always, then success', {
    authentication: 'always',
  }),
  visa('4000008400001629', 'pm_card_threeDSecureRequiredChargeDeclined', '3-D Secure, then declined', {
    ...declined('generic_decline'),
    authentication: 'always',
  }),
  visa('4000000000000341', 'pm_card_chargeCustomerFail', 'Can be stored, then every charge is declined', {
    decline: declineOf('generic_decline'),
  }),
  visa('4000000000000002', 'pm_card_visa_chargeDeclined', 'Declined', declined('generic_decline')),
  visa(
    '4000000000009995',
    'pm_card_visa_chargeDeclinedInsufficientFunds',
    'Declined: insufficient funds',
    declined('insufficient_funds'),
  ),
  visa(
    '4000000000009987',
    'pm_card_visa_chargeDeclinedLostCard',
    'Declined: lost card',
    declined('lost_card'),
  ),
  visa(
    '4000000000009979',
    'pm_card_visa_chargeDeclinedStolenCard',
    'Declined: stolen card',
    declined('stolen_card'),
  ),
  visa(
    '4000000000000069',
    'pm_card_chargeDeclinedExpiredCard',
    'Declined: expired',
    declined('expired_card'),
  ),
  visa(
    '4000000000000127',
    'pm_card_chargeDeclinedIncorrectCvc',
    'Declined: wrong CVC',
    declined('incorrect_cvc'),
  ),
  visa(
    '4000000000000119',
    'pm_card_chargeDeclinedProcessingError',
    'Declined: processing error',
    declined('processing_error'),
  ),
  visa(
    '4000000000006975',
    'pm_card_visa_chargeDeclinedVelocityLimitExceeded',
    'Declined: too many payments',
    declined('card_velocity_exceeded'),
  ),
  // https://docs.stripe.com/testing#refunds
  visa('4000000000007726', 'pm_card_pendingRefund', 'Success; its refunds are pending first', {
    refund: 'pending-first',
  }),
  visa('4000000000005126', 'pm_card_refundFail', 'Success; its refunds succeed, and fail later', {
    refund: 'fails-later',
  }),
  // https://docs.stripe.com/testing#disputes
  visa('4000000000000259', 'pm_card_createDispute', 'Success, then disputed as fraudulent', {
    dispute: 'fraudulent',
  }),
  visa(
    '4000000000002685',
    'pm_card_createDisputeProductNotReceived',
    'Success, then disputed as not received',
    { dispute: 'product_not_received' },
  ),
];

const byNumber = new Map(TEST_CARDS.map((card) => [card.number, card]));
const byPaymentMethodId = new Map(TEST_CARDS.map((card) => [card.paymentMethodId, card]));

/** The test card with this number, digits only. */
export function findTestCard(number: string): TestCard | undefined {
  return byNumber.get(number);
}

/** The test card behind a ready-made payment method such as `pm_card_visa`. */
export function findTestCardByPaymentMethod(id: string): TestCard | undefined {
  return byPaymentMethodId.get(id);
}
