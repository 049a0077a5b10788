import type { Account, Cause } from './account.ts';
import { docUrl } from './answer.ts';
import { createCharge } from './charges.ts';
import { declineError, declineOf } from './declines.ts';
import { openDispute } from './disputes.ts';
import type { AttemptError, PaymentIntent, StoredPaymentMethod } from './objects.ts';
import { savePaymentIntent } from './payment-intent.ts';
import { attachTo } from './payment-methods.ts';

/**
 * Tries to pay an intent with a card: it succeeds, fails, or waits for 3-D Secure. Off-session nobody can
 * authenticate, so a payment for which the bank requires authentication is declined; the customer may confirm
 * the same intent later, with `last_payment_error.payment_method`.
 * https://docs.stripe.com/payments/save-during-payment#charge-saved-payment-method
 */
export function attemptPayment(
  account: Account,
  intent: PaymentIntent,
  stored: StoredPaymentMethod,
  offSession: boolean,
  cause: Cause,
): PaymentIntent {
  if (!wantsAuthentication(stored, offSession)) return payByCard(account, intent, stored, cause);
  if (offSession) {
    const decline = declineOf('authentication_required');
    return failAttempt(account, intent, declineError(decline, stored), cause);
  }
  const waiting = savePaymentIntent(account, intent, {
    status: 'requires_action',
    next_action: { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_challenge' } },
  });
  account.publish('payment_intent.requires_action', waiting, cause);
  return waiting;
}

/** https://docs.stripe.com/testing#regulatory-cards */
function wantsAuthentication({ behaviour, setUpForOffSession }: StoredPaymentMethod, offSession: boolean) {
  const { authentication } = behaviour;
  if (!offSession) return authentication !== 'never';
  return authentication === 'always' || (authentication === 'unless-set-up' && !setUpForOffSession);
}

/** Charges the card and settles the intent: it has succeeded, or waits for another payment method. */
export function payByCard(
  account: Account,
  intent: PaymentIntent,
  stored: StoredPaymentMethod,
  cause: Cause,
): PaymentIntent {
  const { charge, decline } = createCharge(account, intent, stored);
  const charged = { ...intent, latest_charge: charge.id };
  if (decline) return failAttempt(account, charged, declineError(decline, stored, charge.id), cause);
  keepOrSpend(stored, intent);
  if (stored.behaviour.dispute) openDispute(account, charge.id, stored.behaviour.dispute);
  const paid = savePaymentIntent(account, charged, {
    status: 'succeeded',
    amount_received: intent.amount,
    next_action: null,
  });
  account.publish('payment_intent.succeeded', paid, cause);
  return paid;
}

/** https://docs.stripe.com/api/payment_intents/create#create_payment_intent-setup_future_usage */
function keepOrSpend(stored: StoredPaymentMethod, { customer, setup_future_usage }: PaymentIntent): void {
  if (setup_future_usage === 'off_session') stored.setUpForOffSession = true;
  if (stored.paymentMethod.customer !== null) return;
  if (setup_future_usage !== null && customer !== null) attachTo(stored, customer);
  else stored.spent = true;
}

/** Ends an attempt to pay whose 3-D Secure challenge failed. */
export function failAuthentication(
  account: Account,
  intent: PaymentIntent,
  stored: StoredPaymentMethod,
  cause: Cause,
): PaymentIntent {
  return failAttempt(account, intent, authenticationFailure('payment_intent', stored), cause);
}

/** The error of a 3-D Secure challenge that failed. https://docs.stripe.com/error-codes#payment-intent-authentication-failure */
export function authenticationFailure(
  object: 'payment_intent' | 'setup_intent',
  { paymentMethod }: StoredPaymentMethod,
): AttemptError {
  const code = `${object}_authentication_failure`;
  return {
    type: 'invalid_request_error',
    code,
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
    doc_url: docUrl(code),
    payment_method: paymentMethod,
  };
}

/** The intent waits for another payment method. https://docs.stripe.com/payments/paymentintents/lifecycle */
function failAttempt(
  account: Account,
  intent: PaymentIntent,
  error: AttemptError,
  cause: Cause,
): PaymentIntent {
  const failed = savePaymentIntent(account, intent, {
    status: 'requires_payment_method',
    payment_method: null,
    last_payment_error: error,
    next_action: null,
  });
  account.publish('payment_intent.payment_failed', failed, cause);
  return failed;
}
