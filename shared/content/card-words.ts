import type { DeclineReason } from '#shared/own-page.ts';

const BRANDS: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/**
 * A bank account in Link, paid with as a card: number and expiry are made up.
 * @see https://docs.stripe.com/payments/link/bank-payments-passthrough-mode
 */
const LINK_BANK = 'link';

export function nameCard({ brand, last4 }: { brand: string; last4: string }): string {
  if (brand === LINK_BANK) return 'Link account';
  return `${new Map(Object.entries(BRANDS)).get(brand) ?? 'Card'} ending in ${last4}`;
}

/** The month in which a card expires, `08/2027`, if it does. */
export function monthOfExpiry(card: {
  brand: string;
  expMonth: number;
  expYear: number;
}): string | undefined {
  const { brand, expMonth, expYear } = card;
  return brand === LINK_BANK ? undefined : `${String(expMonth).padStart(2, '0')}/${expYear}`;
}

export function cardsOfRefund(card?: { brand: string; last4: string }): string {
  if (card?.brand === LINK_BANK) return `your ${nameCard(card)}`;
  return card ? `your card, ${nameCard(card)}` : 'the cards that paid';
}

export const declineWords: Readonly<Record<DeclineReason, { why: string; advice: string }>> = {
  'insufficient-funds': {
    why: 'Your bank says that there was not enough money for it, or that it would go beyond a limit.',
    advice: 'Pay when there is room for it, or with another card.',
  },
  expired: {
    why: 'The card has expired.',
    advice: 'Please pay with another card, or with the new one that your bank has sent you.',
  },
  authentication: {
    why: 'Your bank wants you to confirm this payment yourself.',
    advice: 'Please pay it yourself, and follow what your bank asks you then. It takes a minute.',
  },
  'card-data': {
    why: 'Your bank did not accept the card’s number, expiry date or security code.',
    advice: 'Please pay with another card, or by entering this one again.',
  },
  'card-blocked': {
    why: 'Your bank does not allow this charge to this card.',
    advice: 'Please pay with another card, or call the number on the back of this one.',
  },
  'not-tried': {
    why: 'Our payment provider could not charge it. Your bank did not refuse anything.',
    advice: 'You can also pay with another card.',
  },
  declined: {
    why: 'Your bank did not tell us why; it will tell you if you call the number on the back of the card.',
    advice: 'You can also pay with another card.',
  },
};
