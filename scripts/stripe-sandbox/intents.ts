import * as v from 'valibot';
import { type Account, newId, randomToken } from './account.ts';
import { ApiError, docUrl, ParameterError, refusal } from './answer.ts';
import { resolvePaymentMethod } from './cards.ts';
import { createCharge, openDispute } from './charges.ts';
import { declineError, declineOf } from './declines.ts';
import type { AttemptError, Intent, PaymentIntent, PaymentMethod, SetupIntent } from './objects.ts';
import { boolean, clearable, email, id } from './parameters.ts';
import { type Call, operation } from './resource.ts';

/** The kinds of intent as messages name them. */
const NAMES = { payment_intent: 'PaymentIntent', setup_intent: 'SetupIntent' } as const;

export const usage = v.picklist(['off_session', 'on_session'], 'Invalid usage');

const CHALLENGE = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_challenge' } } as const;

/** What a new intent of either kind has, until its card is known. */
export function newIntent(account: Account, prefix: 'pi' | 'seti') {
  const name = newId(prefix);
  return {
    id: name,
    allowed_payment_method_types: null,
    cancellation_reason: null,
    client_secret: `${name}_secret_${randomToken(25)}`,
    created: account.nowSeconds(),
    customer: null,
    description: null,
    livemode: false,
    next_action: null,
    payment_method: null,
    payment_method_types: ['card'],
  };
}

const optionalId = v.exactOptional(id);
const setupConfirmation = v.strictObject({
  client_secret: optionalId,
  payment_method: optionalId,
  return_url: v.exactOptional(v.string()),
});
const paymentConfirmation = v.strictObject({
  ...setupConfirmation.entries,
  off_session: v.exactOptional(boolean),
  receipt_email: v.exactOptional(clearable(email)),
  setup_future_usage: v.exactOptional(usage),
});

/** How a 3-D Secure challenge ended, as reported by the browser's script. */
const challengeEnd = v.strictObject({ client_secret: id, outcome: v.picklist(['authenticated', 'failed']) });

/** What a browser may do with an intent. */
export function intentOperations(account: Account, kind: Intent['object']) {
  const schema: v.GenericSchema<unknown, v.InferOutput<typeof paymentConfirmation>> = kind ===
  'payment_intent'
    ? paymentConfirmation
    : setupConfirmation;
  const retrieve = operation(v.strictObject({ client_secret: optionalId }), ({ client_secret }, call) =>
    findIntent(account, kind, call, client_secret),
  );
  const confirm = operation(schema, (parameters, call) => {
    const { client_secret, payment_method, off_session, return_url: _unused, ...fields } = parameters;
    const intent = { ...findIntent(account, kind, call, client_secret), ...fields };
    return prepareConfirmation(account, intent, { payment_method, off_session }, call)();
  });
  const challenge = operation(challengeEnd, ({ client_secret, outcome }, call) =>
    answerChallenge(account, findIntent(account, kind, call, client_secret), outcome, call),
  );
  const browser = true;
  return {
    retrieve: { ...retrieve, browser },
    confirm: { ...confirm, browser },
    challenge: { ...challenge, browser },
  };
}

/** The intent in the path. A publishable key must know its client secret, and no key may give a wrong one. */
function findIntent(
  account: Account,
  kind: Intent['object'],
  { id: wanted, keyKind }: Call,
  clientSecret: string | undefined,
): Intent {
  const intent = account.find(kind, wanted);
  if (clientSecret === intent.client_secret) return intent;
  if (clientSecret === undefined && keyKind === 'secret') return intent;
  const isMissing = clientSecret === undefined;
  throw refusal(400, isMissing ? 'Missing required param: client_secret.' : 'The client_secret is wrong.', {
    code: isMissing ? 'parameter_missing' : `${kind}_invalid_parameter`,
    param: 'client_secret',
  });
}

/** Refuses an operation that the present state of an intent does not allow. */
export function unexpectedState(action: string, intent: Intent): ApiError {
  const { object, status } = intent;
  const message = `You cannot ${action} this ${NAMES[object]} because it has a status of ${status}.`;
  return refusal(400, message, { code: `${object}_unexpected_state`, [object]: intent });
}

/**
 * The confirmation of an intent, which is checked now and carried out when the returned function is called. If
 * the attempt fails, that throws its error, with the intent's state after it.
 * https://docs.stripe.com/payments/paymentintents/lifecycle
 */
export function prepareConfirmation(
  account: Account,
  intent: Intent,
  asked: { payment_method?: string | undefined; off_session?: boolean | undefined },
  call: Call,
): () => Intent {
  const { payment_method: chosen = intent.payment_method, off_session: offSession = false } = asked;
  if (intent.status === 'succeeded' || intent.status === 'canceled') throw unexpectedState('confirm', intent);
  if (offSession && 'setup_future_usage' in intent && intent.setup_future_usage !== null) {
    const message =
      'You cannot confirm with the `off_session` parameter when `setup_future_usage` is also set.';
    throw new ParameterError(message, { param: 'off_session' });
  }
  if (chosen === null) throw unexpectedState('confirm without a payment method', intent);
  const method = resolvePaymentMethod(account, chosen);
  checkOwner(account, method, intent, call);
  if (offSession && call.keyKind === 'publishable') {
    throw new ParameterError('Off-session payments need the secret key.', { param: 'off_session' });
  }
  // https://docs.stripe.com/payments/save-during-payment#charge-saved-payment-method
  if (offSession && method.customer === null) {
    const message = `The payment method ${chosen} is not attached to the customer, so it cannot be used off-session.`;
    throw new ParameterError(message, { param: 'payment_method' });
  }
  return () => {
    const begun = { ...withError(intent, null), payment_method: method.id, next_action: null };
    const attempted = attempt(account, begun, method, offSession, call);
    const error = errorOf(attempted);
    if (error) throw new ApiError(402, { ...error, [attempted.object]: attempted });
    return attempted;
  };
}

/** Ends the 3-D Secure challenge that an intent waits for. */
export function answerChallenge(
  account: Account,
  intent: Intent,
  outcome: 'authenticated' | 'failed',
  call: Call,
): Intent {
  if (intent.status !== 'requires_action' || intent.payment_method === null) {
    throw unexpectedState('answer a challenge of', intent);
  }
  const method = account.find('payment_method', intent.payment_method);
  if (outcome === 'authenticated') return settle(account, intent, method, call);
  // https://docs.stripe.com/error-codes#payment-intent-authentication-failure
  const code = `${intent.object}_authentication_failure`;
  const message =
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
  const error = { code, message, doc_url: docUrl(code), payment_method: method };
  return fail(account, intent, { type: 'invalid_request_error', ...error }, call);
}

/**
 * Tries to pay or to store a card: it succeeds, fails, or waits for 3-D Secure. Off-session nobody can
 * authenticate, so a payment for which the bank requires authentication is declined; the customer may confirm
 * the same intent later, with the error's payment method.
 */
function attempt(
  account: Account,
  intent: Intent,
  method: PaymentMethod,
  offSession: boolean,
  call: Call,
): Intent {
  const { asks, setUp } = account.cardOf(method.id);
  if (offSession) {
    const mayPay = asks === undefined || asks === 'on-session' || (asks === 'unless-set-up' && setUp);
    if (mayPay) return settle(account, intent, method, call);
    return fail(account, intent, declineError(declineOf('authentication_required'), method), call);
  }
  if (asks === undefined) return settle(account, intent, method, call);
  const waiting = { ...intent, status: 'requires_action', next_action: CHALLENGE } as const;
  return report(account, 'requires_action', waiting, call);
}

/** Ends an attempt that needs no authentication, or has it. */
function settle(account: Account, intent: Intent, method: PaymentMethod, call: Call): Intent {
  const done = { status: 'succeeded', next_action: null } as const;
  if (intent.object === 'payment_intent') {
    const { charge, decline } = createCharge(account, intent, method);
    const charged = { ...intent, latest_charge: charge.id };
    if (decline) return fail(account, charged, declineError(decline, method, charge.id), call);
    keepOrSpend(account, intent, method);
    const { disputes } = account.cardOf(method.id);
    if (disputes) openDispute(account, charge.id, disputes);
    return report(account, 'succeeded', { ...charged, ...done, amount_received: intent.amount }, call);
  }
  const card = account.cardOf(method.id);
  if (card.decline && !card.storable) return fail(account, intent, declineError(card.decline, method), call);
  if (intent.customer !== null) account.save({ ...method, customer: intent.customer });
  if (intent.usage === 'off_session') card.setUp = true;
  return report(account, 'succeeded', { ...intent, ...done }, call);
}

/** https://docs.stripe.com/api/payment_intents/create#create_payment_intent-setup_future_usage */
function keepOrSpend(account: Account, intent: PaymentIntent, method: PaymentMethod): void {
  const { customer, setup_future_usage } = intent;
  const card = account.cardOf(method.id);
  if (setup_future_usage === 'off_session') card.setUp = true;
  if (method.customer !== null) return;
  if (setup_future_usage !== null && customer !== null) account.save({ ...method, customer });
  else card.spent = true;
}

/** The intent waits for another payment method. */
function fail(account: Account, intent: Intent, error: AttemptError, call: Call): Intent {
  const open = { status: 'requires_payment_method', payment_method: null, next_action: null } as const;
  const event = intent.object === 'payment_intent' ? 'payment_failed' : 'setup_failed';
  return report(account, event, { ...withError(intent, error), ...open }, call);
}

function withError(intent: Intent, error: AttemptError | null): Intent {
  if (intent.object === 'payment_intent') return { ...intent, last_payment_error: error };
  return { ...intent, last_setup_error: error };
}

function errorOf(intent: Intent): AttemptError | null {
  return intent.object === 'payment_intent' ? intent.last_payment_error : intent.last_setup_error;
}

/** Stores a changed intent and reports the change. */
export function report<I extends PaymentIntent | SetupIntent>(
  account: Account,
  event: string,
  intent: I,
  call: Call,
): I {
  account.save(intent);
  account.publish(`${intent.object}.${event}`, intent, call);
  return intent;
}

/** Only a payment method that belongs to a customer can be used again. https://docs.stripe.com/payments/payment-methods */
export function checkUnspent(account: Account, method: PaymentMethod): void {
  if (method.customer !== null || !account.cardOf(method.id).spent) return;
  const message =
    'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.';
  throw new ParameterError(message, { param: 'payment_method' });
}

/** Refuses a payment method that may not be used for this intent: another customer's, and one that is spent. */
function checkOwner(account: Account, method: PaymentMethod, { customer }: Intent, call: Call): void {
  checkUnspent(account, method);
  const { customer: owner } = method;
  if (owner === null || owner === customer) return;
  // With a publishable key, no customer's id is revealed.
  const message =
    call.keyKind === 'publishable'
      ? 'The payment method belongs to another customer.'
      : `The PaymentMethod ${method.id} does not belong to the Customer you supplied ${customer}.`;
  throw new ParameterError(message, { param: 'payment_method' });
}
