import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Account, Endpoint } from './account.ts';
import { ApiError, resourceMissing } from './api-error.ts';
import { cardParameters, checkCard, fullYear } from './card-check.ts';
import { address } from './customers.ts';
import { newObjectId } from './object-id.ts';
import { clearable, email, mergeMetadata, metadata, parseParameters, text } from './parameters.ts';
import type { BillingDetails, PaymentMethod, StoredPaymentMethod } from './stored-objects.ts';
import { findTestCardByPaymentMethod, type TestCard } from './test-cards.ts';

const NO_BILLING_DETAILS: BillingDetails = { name: null, email: null, phone: null, address: null };

const createParameters = v.strictObject({
  type: v.literal('card', 'Invalid type: the sandbox takes cards only'),
  card: cardParameters,
  billing_details: v.exactOptional(
    v.strictObject({
      name: v.exactOptional(clearable(text(5000))),
      email: v.exactOptional(clearable(email)),
      phone: v.exactOptional(clearable(text(5000))),
      address: v.exactOptional(address),
    }),
  ),
  metadata: v.exactOptional(metadata),
});

/** The operations on payment methods. https://docs.stripe.com/api/payment_methods */
export function paymentMethodEndpoints(account: Account) {
  const create: Endpoint = (call) => {
    const { card, billing_details, metadata: pairs } = parseParameters(createParameters, call.parameters);
    if (call.keyKind === 'secret') {
      throw new ApiError(400, {
        type: 'invalid_request_error',
        message:
          'Card numbers come from the browser, with the publishable key; servers use e.g. pm_card_visa.',
      });
    }
    const testCard = checkCard(card, account.nowSeconds());
    return store(account, testCard, {
      exp_month: card.exp_month,
      exp_year: fullYear(card.exp_year),
      billing_details: { ...NO_BILLING_DETAILS, ...billing_details },
      metadata: mergeMetadata({}, pairs),
    }).paymentMethod;
  };

  const retrieve: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    const stored = account.paymentMethods.get(call.id);
    if (!stored) throw resourceMissing('PaymentMethod', call.id);
    return stored.paymentMethod;
  };

  return { create, retrieve };
}

/** The payment method that a parameter names; a ready-made one such as `pm_card_visa` is made on the spot. */
export function resolvePaymentMethod(account: Account, id: string): StoredPaymentMethod {
  const stored = account.paymentMethods.get(id);
  if (stored) return stored;
  const testCard = findTestCardByPaymentMethod(id);
  if (!testCard) throw resourceMissing('PaymentMethod', id, 'payment_method');
  const nextYear = new Date(account.nowSeconds() * 1000).getUTCFullYear() + 1;
  return store(account, testCard, {
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

function store(account: Account, testCard: TestCard, details: NewPaymentMethod): StoredPaymentMethod {
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
      exp_year: details.exp_year,
      fingerprint: createHash('sha256').update(testCard.paymentMethodId).digest('hex').slice(0, 16),
      funding: 'credit',
      last4: testCard.number.slice(-4),
    },
    created: account.nowSeconds(),
    customer: null,
    livemode: false,
    metadata: details.metadata,
  };
  const stored = { paymentMethod, behaviour: testCard.behaviour };
  account.paymentMethods.set(paymentMethod.id, stored);
  return stored;
}
