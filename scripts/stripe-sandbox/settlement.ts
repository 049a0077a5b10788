import type { Account, ApiCall } from './account.ts';
import { createCharge } from './charges.ts';
import { savePaymentIntent } from './payment-intent.ts';
import type { PaymentIntent, StoredPaymentMethod } from './stored-objects.ts';
import { declineError } from './test-cards.ts';

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
