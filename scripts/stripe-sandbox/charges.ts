import * as v from 'valibot';
import {
  type Account,
  type ApiCall,
  type Charge,
  type Endpoint,
  newObjectId,
  type PaymentIntent,
  type StoredPaymentMethod,
} from './account.ts';
import { resourceMissing } from './answer.ts';
import { createdFilter, listPage, matchesCreated, pageParameters } from './list.ts';
import { parseParameters, text } from './parameters.ts';
import { savePaymentIntent } from './payment-intent.ts';
import { declineError } from './test-cards.ts';

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

/** Charges the card and settles the intent: it has succeeded, or waits for another payment method. */
export function settleByCharge(
  account: Account,
  intent: PaymentIntent,
  stored: StoredPaymentMethod,
  call: ApiCall,
): PaymentIntent {
  const charge = createCharge(account, intent, stored);
  const { decline } = stored.behaviour;
  if (decline) {
    const error = { ...declineError(decline, charge.id), payment_method: stored.paymentMethod };
    return failAttempt(account, { ...intent, latest_charge: charge.id }, error, call);
  }
  if (intent.setup_future_usage !== null && intent.customer !== null) {
    stored.paymentMethod = { ...stored.paymentMethod, customer: intent.customer };
  }
  const paid = savePaymentIntent(account, intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
    next_action: null,
  });
  account.publish('payment_intent.succeeded', paid, call);
  return paid;
}

/** Ends an attempt to pay without success: the intent waits for another payment method. */
export function failAttempt(
  account: Account,
  intent: PaymentIntent,
  error: NonNullable<PaymentIntent['last_payment_error']>,
  call: ApiCall,
): PaymentIntent {
  const failed = savePaymentIntent(account, intent, {
    status: 'requires_payment_method',
    payment_method: null,
    last_payment_error: error,
    next_action: null,
  });
  account.publish('payment_intent.payment_failed', failed, call);
  return failed;
}

/** Keeps one attempt to charge a card for an intent, which its card's behaviour decides. */
function createCharge(account: Account, intent: PaymentIntent, stored: StoredPaymentMethod): Charge {
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
