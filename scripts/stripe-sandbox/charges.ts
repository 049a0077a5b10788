import {
  type Account,
  type Charge,
  type Decline,
  newId,
  type PaymentIntent,
  type PaymentMethod,
} from './account.ts';
import { changeBalance } from './balance.ts';

/** It is stored even when the bank declines it, and pending while the bank has not answered. */
export function createCharge(
  account: Account,
  intent: PaymentIntent,
  method: PaymentMethod,
): { charge: Charge; decline: Decline | null } {
  const { amount, currency, customer, metadata, receipt_email } = intent;
  const ordered = (owner: string) => account.nextCharges.get(owner)?.shift();
  const usual = account.cardOf(method.id).decline;
  const answer = ordered(method.id) ?? ordered(customer ?? '') ?? usual;
  const decline = answer === 'processing' ? null : answer;
  const charge = account.save({
    id: newId('ch'),
    object: 'charge',
    amount,
    amount_refunded: 0,
    balance_transaction: null,
    billing_details: method.billing_details,
    created: account.nowSeconds(),
    currency,
    customer,
    disputed: false,
    failure_code: null,
    metadata,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card', card: method.card },
    receipt_email,
    status: 'pending',
  } satisfies Charge);
  return { decline, charge: answer === 'processing' ? charge : endCharge(account, charge, decline) };
}

/**
 * The bank's answer to a charge. What was paid reaches the balance after the answer to the payment and its event.
 * https://docs.stripe.com/payments/payment-intents/asynchronous-capture
 */
export function endCharge(account: Account, charge: Charge, decline: Decline | null): Charge {
  if (decline) return account.save({ ...charge, failure_code: decline.code, status: 'failed' });
  setImmediate(() => {
    const paid = account.find('charge', charge.id);
    const { id: balance_transaction } = changeBalance(account, 'charge', paid);
    account.publish('charge.updated', account.save({ ...paid, balance_transaction }));
  });
  return account.save({ ...charge, status: 'succeeded' });
}
