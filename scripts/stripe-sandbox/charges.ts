import * as v from 'valibot';
import { type Account, type Endpoint, newObjectId } from './account.ts';
import { resourceMissing } from './answer.ts';
import { outcomeOf } from './declines.ts';
import { createdFilter, listPage, matchesCreated, pageParameters } from './list.ts';
import type { Charge, Decline, PaymentIntent, PaymentMethod, StoredPaymentMethod } from './objects.ts';
import { mergeMetadata, metadata, parseParameters, text } from './parameters.ts';

const listParameters = v.strictObject({
  ...pageParameters,
  created: v.exactOptional(createdFilter),
  customer: v.exactOptional(text(255)),
  payment_intent: v.exactOptional(text(255)),
});

const updateParameters = v.strictObject({ metadata: v.exactOptional(metadata) });

/** The operations on charges. https://docs.stripe.com/api/charges */
export function chargeEndpoints(account: Account) {
  const retrieve: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    const charge = account.charges.get(call.id);
    if (!charge) throw resourceMissing('charge', call.id);
    return charge;
  };

  const list: Endpoint = (call) => {
    const { created, customer, payment_intent, ...page } = parseParameters(listParameters, call.parameters);
    const charges = [...account.charges.values()].filter(
      (charge) =>
        (customer === undefined || charge.customer === customer) &&
        (payment_intent === undefined || charge.payment_intent === payment_intent) &&
        matchesCreated(charge.created, created),
    );
    return listPage('/v1/charges', 'charge', charges, page);
  };

  const update: Endpoint = (call) => {
    const charge = account.charges.get(call.id);
    if (!charge) throw resourceMissing('charge', call.id);
    const { metadata: pairs } = parseParameters(updateParameters, call.parameters);
    const updated = { ...charge, metadata: mergeMetadata(charge.metadata, pairs) };
    account.charges.set(updated.id, updated);
    return updated;
  };

  return { retrieve, list, update };
}

/** Charges a card for an intent. The charge is stored even when the bank declines it. */
export function createCharge(
  account: Account,
  intent: PaymentIntent,
  stored: StoredPaymentMethod,
): { charge: Charge; decline: Decline | null } {
  const decline = nextDecline(account, intent, stored) ?? stored.behaviour.decline;
  const paid = decline === null;
  const { amount, currency, customer, description, receipt_email } = intent;
  const charge: Charge = {
    id: newObjectId('ch'),
    object: 'charge',
    amount,
    amount_captured: paid ? amount : 0,
    amount_refunded: 0,
    billing_details: stored.paymentMethod.billing_details,
    captured: paid,
    created: account.nowSeconds(),
    currency,
    customer,
    description,
    disputed: false,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    livemode: false,
    metadata: intent.metadata,
    outcome: outcomeOf(decline),
    paid,
    payment_intent: intent.id,
    payment_method: stored.paymentMethod.id,
    payment_method_details: { type: 'card', card: cardDetailsOf(stored.paymentMethod) },
    receipt_email,
    refunded: false,
    status: paid ? 'succeeded' : 'failed',
  };
  account.charges.set(charge.id, charge);
  return { charge, decline };
}

function cardDetailsOf({ card }: PaymentMethod): Charge['payment_method_details']['card'] {
  const { display_brand: _, ...details } = card;
  return details;
}

/** The decline that was ordered for this payment method, or else for this customer. */
function nextDecline(
  account: Account,
  { customer }: PaymentIntent,
  { paymentMethod }: StoredPaymentMethod,
): Decline | undefined {
  const { nextDeclines } = account;
  return nextDeclines.get(paymentMethod.id)?.shift() ?? nextDeclines.get(customer ?? '')?.shift();
}
