import { docUrl } from './answer.ts';

/** Why a charge is declined, in Stripe's words for the cardholder. https://docs.stripe.com/declines */
export type Decline = { code: string; declineCode?: string; message: string };

/** What happens when a card is charged: a 3-D Secure challenge or not, then a decline or success. */
export type CardBehaviour = { challenge: boolean; decline: Decline | null };

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

const GENERIC_DECLINE: Decline = {
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined.',
};
const INSUFFICIENT_FUNDS: Decline = {
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
};
const EXPIRED_CARD: Decline = { code: 'expired_card', message: 'Your card has expired.' };
const INCORRECT_CVC: Decline = {
  code: 'incorrect_cvc',
  message: "Your card's security code is incorrect.",
};
const PROCESSING_ERROR: Decline = {
  code: 'processing_error',
  message: 'An error occurred while processing your card. Try again in a little bit.',
};

function visa(number: string, paymentMethodId: string, behaviour: CardBehaviour, meaning: string): TestCard {
  return { number, brand: 'visa', cvcLength: 3, paymentMethodId, behaviour, meaning };
}

const success: CardBehaviour = { challenge: false, decline: null };
const declined = (decline: Decline): CardBehaviour => ({ challenge: false, decline });
const challenged = (decline: Decline | null): CardBehaviour => ({ challenge: true, decline });

/** Every card number that the sandbox takes. */
export const TEST_CARDS: readonly TestCard[] = [
  visa('4242424242424242', 'pm_card_visa', success, 'Success'),
  {
    number: '5555555555554444',
    brand: 'mastercard',
    cvcLength: 3,
    paymentMethodId: 'pm_card_mastercard',
    behaviour: success,
    meaning: 'Success',
  },
  {
    number: '378282246310005',
    brand: 'amex',
    cvcLength: 4,
    paymentMethodId: 'pm_card_amex',
    behaviour: success,
    meaning: 'Success, with a CVC of four digits',
  },
  {
    number: '6011111111111117',
    brand: 'discover',
    cvcLength: 3,
    paymentMethodId: 'pm_card_discover',
    behaviour: success,
    meaning: 'Success',
  },
  visa(
    '4000002500003155',
    'pm_card_authenticationRequiredOnSetup',
    challenged(null),
    '3-D Secure, then success',
  ),
  visa('4000000000003220', 'pm_card_threeDSecure2Required', challenged(null), '3-D Secure, then success'),
  visa(
    '4000008400001629',
    'pm_card_threeDSecureRequiredChargeDeclined',
    challenged(GENERIC_DECLINE),
    '3-D Secure, then declined',
  ),
  visa('4000000000000002', 'pm_card_visa_chargeDeclined', declined(GENERIC_DECLINE), 'Declined'),
  visa(
    '4000000000009995',
    'pm_card_visa_chargeDeclinedInsufficientFunds',
    declined(INSUFFICIENT_FUNDS),
    'Declined: insufficient funds',
  ),
  visa('4000000000000069', 'pm_card_chargeDeclinedExpiredCard', declined(EXPIRED_CARD), 'Declined: expired'),
  visa(
    '4000000000000127',
    'pm_card_chargeDeclinedIncorrectCvc',
    declined(INCORRECT_CVC),
    'Declined: wrong CVC',
  ),
  visa(
    '4000000000000119',
    'pm_card_chargeDeclinedProcessingError',
    declined(PROCESSING_ERROR),
    'Declined: processing error',
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

/** The failed payment attempt as Stripe reports it: in `last_payment_error`, and as the answer's error. */
export function declineError(decline: Decline, chargeId: string) {
  return {
    type: 'card_error',
    code: decline.code,
    ...(decline.declineCode === undefined ? {} : { decline_code: decline.declineCode }),
    doc_url: docUrl(decline.code),
    message: decline.message,
    charge: chargeId,
  } as const;
}
