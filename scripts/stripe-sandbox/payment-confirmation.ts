import * as v from 'valibot';
import type { Account, ApiCall, Endpoint, PaymentIntent, StoredPaymentMethod } from './account.ts';
import { ApiError, docUrl, ParameterError, unexpectedState } from './answer.ts';
import { failAttempt, settleByCharge } from './charges.ts';
import { clearable, email, parseParameters, text } from './parameters.ts';
import { findPaymentIntent, savePaymentIntent, viewError, viewPaymentIntent } from './payment-intent.ts';
import { resolvePaymentMethod } from './payment-methods.ts';

const confirmParameters = v.strictObject({
  client_secret: v.exactOptional(text(255)),
  payment_method: v.exactOptional(text(255)),
  receipt_email: v.exactOptional(clearable(email)),
  return_url: v.exactOptional(v.string()),
  setup_future_usage: v.exactOptional(
    v.picklist(['off_session', 'on_session'], 'Invalid setup_future_usage'),
  ),
  use_stripe_sdk: v.exactOptional(v.picklist(['true', 'false'], 'Invalid boolean')),
});

const challengeParameters = v.strictObject({
  client_secret: text(255),
  outcome: v.picklist(['authenticated', 'failed'], 'Invalid outcome'),
});

const AUTHENTICATION_FAILURE = {
  type: 'invalid_request_error',
  code: 'payment_intent_authentication_failure',
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
  doc_url: docUrl('payment_intent_authentication_failure'),
} as const;

/** The operations that pay an intent: Stripe's confirm, and the sandbox's own answer to a 3-D Secure challenge. */
export function paymentConfirmationEndpoints(account: Account) {
  const confirm: Endpoint = (call) => {
    const parameters = parseParameters(confirmParameters, call.parameters);
    const found = findPaymentIntent(account, call, parameters.client_secret);
    checkConfirmable(found, call);
    const stored = choosePaymentMethod(account, found, parameters.payment_method, call);
    const intent = savePaymentIntent(account, found, {
      payment_method: stored.paymentMethod.id,
      receipt_email: parameters.receipt_email === undefined ? found.receipt_email : parameters.receipt_email,
      setup_future_usage: parameters.setup_future_usage ?? found.setup_future_usage,
      last_payment_error: null,
      next_action: null,
    });
    if (stored.behaviour.challenge) return requireAction(account, intent, call);
    const settled = settleByCharge(account, intent, stored, call);
    const error = viewError(settled.last_payment_error, call.keyKind);
    if (error)
      throw new ApiError(402, { ...error, payment_intent: viewPaymentIntent(settled, call.keyKind) });
    return viewPaymentIntent(settled, call.keyKind);
  };

  const answerChallenge: Endpoint = (call) => {
    const { client_secret, outcome } = parseParameters(challengeParameters, call.parameters);
    const intent = findPaymentIntent(account, call, client_secret);
    if (intent.status !== 'requires_action' || intent.payment_method === null) {
      throw unexpectedState(
        `This PaymentIntent has a status of ${intent.status}: no challenge is open.`,
        viewPaymentIntent(intent, call.keyKind),
      );
    }
    const stored = resolvePaymentMethod(account, intent.payment_method);
    const settled =
      outcome === 'authenticated'
        ? settleByCharge(account, intent, stored, call)
        : failAttempt(
            account,
            intent,
            { ...AUTHENTICATION_FAILURE, payment_method: stored.paymentMethod },
            call,
          );
    return viewPaymentIntent(settled, call.keyKind);
  };

  return { confirm, answerChallenge };
}

function checkConfirmable(intent: PaymentIntent, call: ApiCall): void {
  if (intent.status === 'succeeded') {
    throw unexpectedState(
      'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.',
      viewPaymentIntent(intent, call.keyKind),
    );
  }
  if (intent.status === 'canceled') {
    throw unexpectedState(
      'You cannot confirm this PaymentIntent because it has a status of canceled. Only a PaymentIntent with one of the following statuses may be confirmed: requires_confirmation, requires_action.',
      viewPaymentIntent(intent, call.keyKind),
    );
  }
}

function choosePaymentMethod(
  account: Account,
  intent: PaymentIntent,
  requested: string | undefined,
  call: ApiCall,
): StoredPaymentMethod {
  const id = requested ?? intent.payment_method;
  if (id === null) {
    throw unexpectedState(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      viewPaymentIntent(intent, call.keyKind),
    );
  }
  const stored = resolvePaymentMethod(account, id);
  const owner = stored.paymentMethod.customer;
  if (owner !== null && owner !== intent.customer) {
    throw new ParameterError('The payment method belongs to another customer.', { param: 'payment_method' });
  }
  return stored;
}

function requireAction(account: Account, intent: PaymentIntent, call: ApiCall): object {
  const waiting = savePaymentIntent(account, intent, {
    status: 'requires_action',
    next_action: { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_challenge' } },
  });
  account.publish('payment_intent.requires_action', waiting, call);
  return viewPaymentIntent(waiting, call.keyKind);
}
