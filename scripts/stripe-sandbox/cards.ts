import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { type Account, newObjectId } from './account.ts';
import { cardError, resourceMissing } from './answer.ts';
import type { BillingDetails, PaymentMethod, StoredPaymentMethod } from './objects.ts';
import { integer, text } from './parameters.ts';
import { findTestCard, findTestCardByPaymentMethod, type TestCard } from './test-cards.ts';

/** A card as it is typed. */
export const cardParameters = v.strictObject({
  number: text(64),
  exp_month: integer,
  exp_year: integer,
  cvc: v.exactOptional(text(16)),
});

type CardInput = v.InferOutput<typeof cardParameters>;

export const NO_BILLING_DETAILS: BillingDetails = { name: null, email: null, phone: null, address: null };

/**
 * The stored payment method that a parameter names; a ready-made one such as `pm_card_visa` is created on
 * demand.
 */
export function resolvePaymentMethod(account: Account, id: string): StoredPaymentMethod {
  const stored = account.paymentMethods.get(id);
  if (stored) return stored;
  const testCard = findTestCardByPaymentMethod(id);
  if (!testCard) throw resourceMissing('PaymentMethod', id, 'payment_method');
  const nextYear = new Date(account.nowSeconds() * 1000).getUTCFullYear() + 1;
  return storeCard(account, testCard, {
    exp_month: 12,
    exp_year: nextYear,
    billing_details: NO_BILLING_DETAILS,
    metadata: {},
  });
}

type NewPaymentMethod = {
  exp_month: number;
  exp_year: number;
  billing_details: BillingDetails;
  metadata: Record<string, string>;
};

/** Stores a card as a payment method that belongs to no customer yet. */
export function storeCard(
  account: Account,
  testCard: TestCard,
  details: NewPaymentMethod,
): StoredPaymentMethod {
  const paymentMethod: PaymentMethod = {
    id: newObjectId('pm'),
    object: 'payment_method',
    type: 'card',
    billing_details: details.billing_details,
    card: {
      brand: testCard.brand,
      country: 'US',
      display_brand: testCard.brand === 'amex' ? 'american_express' : testCard.brand,
      exp_month: details.exp_month,
      exp_year: fullYear(details.exp_year),
      fingerprint: createHash('sha256').update(testCard.paymentMethodId).digest('hex').slice(0, 16),
      funding: 'credit',
      last4: testCard.number.slice(-4),
    },
    created: account.nowSeconds(),
    customer: null,
    livemode: false,
    metadata: details.metadata,
  };
  const { behaviour } = testCard;
  const stored = { paymentMethod, behaviour, setUpForOffSession: false, spent: false };
  account.paymentMethods.set(paymentMethod.id, stored);
  return stored;
}

/** The year in four digits: cards may be sent with the last two only. */
function fullYear(year: number): number {
  return year < 100 ? 2000 + year : year;
}

/**
 * The test card of this number. Throws a card error for any other number, and for an impossible date or CVC.
 */
export function checkCard(card: CardInput, nowSeconds: number): TestCard {
  const testCard = findTestCard(card.number.replaceAll(/[\s-]/g, ''));
  if (!testCard) {
    throw cardError(
      "Your card was declined. This is a sandbox: it takes Stripe's test card numbers only, such as 4242 4242 4242 4242.",
      { code: 'card_declined', decline_code: 'test_mode_live_card', param: 'number' },
    );
  }
  if (card.exp_month < 1 || card.exp_month > 12) {
    throw cardError("Your card's expiration month is invalid.", {
      code: 'invalid_expiry_month',
      param: 'exp_month',
    });
  }
  if (!(Date.UTC(fullYear(card.exp_year), card.exp_month) > nowSeconds * 1000)) {
    throw cardError("Your card's expiration year is invalid.", {
      code: 'invalid_expiry_year',
      param: 'exp_year',
    });
  }
  if (card.cvc !== undefined && !(card.cvc.length === testCard.cvcLength && /^\d+$/.test(card.cvc))) {
    throw cardError("Your card's security code is invalid.", { code: 'invalid_cvc', param: 'cvc' });
  }
  return testCard;
}
