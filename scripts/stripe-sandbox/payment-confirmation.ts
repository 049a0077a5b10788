import type { Account, ApiCall, Endpoint } from './account.ts';
import { ApiError, ParameterError, unexpectedState } from './answer.ts';
import { resolvePaymentMethod } from './cards.ts';
import { challengeParameters, paymentParameters } from './intent-parameters.ts';
import type { PaymentIntent, StoredPaymentMethod } from './objects.ts';
import { parseParameters } from './parameters.ts';
import { attemptPayment, failAuthentication, payByCard } from './payment-attempt.ts';
import { findPaymentIntent, savePaymentIntent, viewError, viewPaymentIntent } from './payment-intent.ts';
import { checkOwner } from './payment-methods.ts';

/** The operations that pay an intent: Stripe's confirm, and the sandbox's own answer to a 3-D Secure challenge. */
export function paymentConfirmationEndpoints(account: Account) {
  const confirm: Endpoint = (call) => {
    const { client_secret, off_session, payment_method, ...parameters } = parseParameters(
      paymentParameters.confirm,
      call.parameters,
    );
    const found = findPaymentIntent(account, call, client_secret);
    checkConfirmable(found, call);
    const { receipt_email = found.receipt_email, setup_future_usage = found.setup_future_usage } = parameters;
    const intent = { ...found, receipt_email, setup_future_usage };
    return confirmIntent(account, prepare(account, intent, { payment_method, off_session }, call), call);
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
    const settle = outcome === 'authenticated' ? payByCard : failAuthentication;
    return viewPaymentIntent(settle(account, intent, stored, call), call.keyKind);
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

type Prepared = { intent: PaymentIntent; stored: StoredPaymentMethod; offSession: boolean };

/**
 * Checks whether an intent can be confirmed, without changing anything. If not, throws what Stripe answers.
 */
export function prepare(
  account: Account,
  intent: PaymentIntent,
  asked: { payment_method: string | undefined; off_session: boolean | undefined },
  call: ApiCall,
): Prepared {
  const { off_session: offSession = false, payment_method: id = intent.payment_method } = asked;
  if (offSession && intent.setup_future_usage !== null) {
    throw new ParameterError(
      'You cannot confirm with the `off_session` parameter when `setup_future_usage` is also set on the PaymentIntent because you cannot set up future usages when processing payments off-session.',
      { param: 'off_session' },
    );
  }
  if (id === null) {
    throw unexpectedState(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      viewPaymentIntent(intent, call.keyKind),
    );
  }
  const stored = resolvePaymentMethod(account, id);
  checkOwner(stored, intent, call);
  if (offSession) checkOffSession(stored, call);
  return { intent, stored, offSession };
}

/**
 * Off-session payments need a payment method attached to the customer: that is the only way that Stripe
 * describes. https://docs.stripe.com/payments/save-during-payment#charge-saved-payment-method
 */
function checkOffSession({ paymentMethod }: StoredPaymentMethod, call: ApiCall): void {
  if (call.keyKind === 'publishable') {
    throw new ParameterError('Off-session payments need the secret key.', { param: 'off_session' });
  }
  if (paymentMethod.customer !== null) return;
  throw new ParameterError(
    `The payment method ${paymentMethod.id} is not attached to the customer, so it cannot be used off-session.`,
    { param: 'payment_method' },
  );
}

/** Confirms an intent. If the attempt fails, throws its card error, with the intent's state after it. */
export function confirmIntent(account: Account, prepared: Prepared, call: ApiCall): object {
  const { stored, offSession } = prepared;
  const intent = savePaymentIntent(account, prepared.intent, {
    payment_method: stored.paymentMethod.id,
    last_payment_error: null,
    next_action: null,
  });
  const attempted = attemptPayment(account, intent, stored, offSession, call);
  const view = viewPaymentIntent(attempted, call.keyKind);
  const error = viewError(attempted.last_payment_error, call.keyKind);
  if (error) throw new ApiError(402, { ...error, payment_intent: view });
  return view;
}
