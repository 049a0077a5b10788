import * as v from 'valibot';
import type { Account, Endpoint } from './account.ts';
import { resourceMissing } from './api-error.ts';
import { listPage, pageParameters } from './list.ts';
import { newObjectId } from './object-id.ts';
import { createdFilter, matchesCreated, parseParameters, text } from './parameters.ts';
import type { Charge, PaymentIntent, StoredPaymentMethod } from './stored-objects.ts';

const listParameters = v.strictObject({
  ...pageParameters,
  created: v.exactOptional(createdFilter),
  customer: v.exactOptional(text(255)),
  payment_intent: v.exactOptional(text(255)),
});

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

  return { retrieve, list };
}

/** Keeps one attempt to charge a card for an intent, which its card's behaviour decides. */
export function createCharge(account: Account, intent: PaymentIntent, stored: StoredPaymentMethod): Charge {
  const { decline } = stored.behaviour;
  const paid = decline === null;
  const { amount, currency, customer, description, metadata, receipt_email } = intent;
  const charge: Charge = {
    id: newObjectId('ch'),
    object: 'charge',
    amount,
    amount_captured: paid ? amount : 0,
    amount_refunded: 0,
    captured: paid,
    created: account.nowSeconds(),
    currency,
    customer,
    description,
    disputed: false,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    livemode: false,
    metadata,
    paid,
    payment_intent: intent.id,
    payment_method: stored.paymentMethod.id,
    receipt_email,
    refunded: false,
    status: paid ? 'succeeded' : 'failed',
  };
  account.charges.set(charge.id, charge);
  return charge;
}
