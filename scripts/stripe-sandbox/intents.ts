import * as v from 'valibot';
import {
  type Account,
  type AttemptError,
  type Charge,
  type Decline,
  type Intent,
  type NextAction,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  randomToken,
} from './account.ts';
import { ApiError, ParameterError, refusal } from './answer.ts';
import { createCharge, endCharge } from './balance.ts';
import { declineError, declineOf, resolvePaymentMethod } from './cards.ts';
import { openDispute } from './refunds.ts';
import {
  boolean,
  type Call,
  cardOnly,
  id,
  mergeMetadata,
  operation,
  optionalEmail,
  optionalId,
  optionalMetadata,
  webUrl,
} from './routes.ts';

export const UNUSABLE =
  'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.';

export const usage = v.literal('off_session', 'Invalid usage');

const CHALLENGE = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_challenge' } } as const;

/** Where the bank asks, if it is told where its customer goes afterwards. https://docs.stripe.com/payments/3d-secure */
function challengeOf({ url }: Account, { id, client_secret }: Intent, returnUrl?: string): NextAction {
  if (returnUrl === undefined) return CHALLENGE;
  const page = `${url}/hosted/bank/${id}?client_secret=${client_secret}`;
  return { type: 'redirect_to_url', redirect_to_url: { url: page, return_url: returnUrl } };
}

export const newIntentFields = {
  allowed_payment_method_types: v.exactOptional(v.array(cardOnly)),
  confirm: v.exactOptional(boolean),
  customer: optionalId,
  payment_method: optionalId,
  ...optionalMetadata,
};

export function newIntent(
  account: Account,
  prefix: 'pi' | 'seti',
  given: v.InferOutput<v.ObjectSchema<typeof newIntentFields, undefined>>,
) {
  const name = newId(prefix);
  return {
    id: name,
    client_secret: `${name}_secret_${randomToken()}`,
    created: account.nowSeconds(),
    customer: given.customer ?? null,
    payment_method: given.payment_method ?? null,
    next_action: null,
    cancellation_reason: null,
    metadata: mergeMetadata({}, given.metadata),
    status: 'requires_payment_method',
  } as const;
}

const secret = { client_secret: optionalId };
const confirmation = v.strictObject({
  ...secret,
  payment_method: optionalId,
  off_session: v.exactOptional(boolean),
  receipt_email: optionalEmail,
  return_url: v.exactOptional(webUrl),
  setup_future_usage: v.exactOptional(usage),
});

const challengeEnd = v.strictObject({ client_secret: id, outcome: v.picklist(['authenticated', 'failed']) });

const cancelling = v.strictObject({ cancellation_reason: v.exactOptional(v.literal('abandoned')) });

export function intentOperations(account: Account, kind: Intent['object']) {
  /** The intent in the path. A publishable key must know its client secret, and no key may give a wrong one. */
  const find = (call: Call, clientSecret: string | undefined): Intent => {
    const intent = account.find(kind, call.id);
    if (clientSecret === intent.client_secret) return intent;
    if (clientSecret === undefined && call.keyKind === 'secret') return intent;
    const code = clientSecret === undefined ? 'parameter_missing' : `${kind}_invalid_parameter`;
    throw refusal(400, 'The client_secret is missing or wrong.', { code, param: 'client_secret' });
  };
  const retrieve = operation(v.strictObject(secret), (asked, call) => find(call, asked.client_secret), true);
  const confirm = operation(
    confirmation,
    ({ client_secret, payment_method, off_session, return_url, ...fields }, call) => {
      const intent = find(call, client_secret);
      return confirmIntent(account, { ...intent, ...fields }, { payment_method, off_session, return_url });
    },
    true,
  );
  const cancel = operation(cancelling, ({ cancellation_reason = null }, call) => {
    const intent = account.find(kind, call.id);
    if (isOver(intent)) throw unexpectedState('cancel', intent);
    return end(account, intent, cancellation_reason);
  });
  const challenge = operation(
    challengeEnd,
    ({ client_secret, outcome }, call) => answerChallenge(account, find(call, client_secret), outcome),
    true,
  );
  return { retrieve, challenge, actions: { confirm, cancel } };
}

export function end(
  account: Account,
  intent: Intent,
  cancellation_reason: Intent['cancellation_reason'],
): Intent {
  const ended = { ...intent, status: 'canceled', next_action: null, cancellation_reason } as const;
  const at = account.nowSeconds();
  const dated = ended.object === 'payment_intent' ? { ...ended, canceled_at: at } : ended;
  return report(account, 'canceled', dated);
}

const isOver = ({ status }: Intent): boolean => ['succeeded', 'canceled', 'processing'].includes(status);

export function unexpectedState(action: string, intent: Intent): ApiError {
  const { object, status } = intent;
  const name = object === 'payment_intent' ? 'PaymentIntent' : 'SetupIntent';
  const message = `You cannot ${action} this ${name} because it has a status of ${status}.`;
  return refusal(400, message, { code: `${object}_unexpected_state`, [object]: intent });
}

/** @throws {ApiError} of an attempt that fails, with the intent's state after it */
export function confirmIntent(
  account: Account,
  intent: Intent,
  asked: {
    payment_method?: string | undefined;
    off_session?: boolean | undefined;
    return_url?: string | undefined;
  },
): Intent {
  const { payment_method: chosen = intent.payment_method, off_session: offSession = false } = asked;
  if (isOver(intent)) throw unexpectedState('confirm', intent);
  if (chosen === null) throw unexpectedState('confirm without a payment method', intent);
  if (intent.customer !== null) account.find('customer', intent.customer, 'customer');
  const method = resolvePaymentMethod(account, chosen);
  if (isUnusable(account, method)) {
    // Recorded in woocommerce-payments issue 323: neither a code nor a parameter.
    throw refusal(400, UNUSABLE);
  }
  if (method.customer !== null && method.customer !== intent.customer) {
    const message = `The PaymentMethod ${method.id} does not belong to the Customer you supplied ${intent.customer}.`;
    throw refusal(400, message, { param: 'payment_method', [intent.object]: intent });
  }
  if (offSession && 'setup_future_usage' in intent && intent.setup_future_usage !== null) {
    const message = '`off_session` is not possible when `setup_future_usage` is also set.';
    throw new ParameterError(message, { param: 'off_session' });
  }
  // https://docs.stripe.com/payments/save-during-payment#charge-saved-payment-method
  if (offSession && method.customer === null) {
    const message = `The PaymentMethod ${chosen} is not attached to the customer.`;
    throw new ParameterError(message, { param: 'payment_method' });
  }
  const begun = { ...withError(intent, null), payment_method: method.id, next_action: null };
  const attempted = attempt(account, begun, method, { offSession, returnUrl: asked.return_url });
  const { object } = attempted;
  const error = object === 'payment_intent' ? attempted.last_payment_error : attempted.last_setup_error;
  if (error) throw new ApiError(402, { ...error, [object]: attempted });
  return attempted;
}

/** Off-session nobody can authenticate, so a payment for which the bank requires that is declined. */
function attempt(
  account: Account,
  intent: Intent,
  method: PaymentMethod,
  { offSession, returnUrl }: { offSession: boolean; returnUrl: string | undefined },
): Intent {
  const { asks, setUp } = account.cardOf(method.id);
  const isFree = offSession && asks === 'unless-set-up' && setUp;
  const isAskedNext = !offSession && account.asksNext.delete(intent.customer ?? '');
  if ((asks === undefined && !isAskedNext) || isFree) return settle(account, intent, method);
  if (offSession) return fail(account, intent, declineError(declineOf('authentication_required'), method));
  return report(account, 'requires_action', {
    ...intent,
    status: 'requires_action',
    next_action: challengeOf(account, intent, returnUrl),
  });
}

export function answerChallenge(
  account: Account,
  intent: Intent,
  outcome: 'authenticated' | 'failed',
): Intent {
  if (intent.status !== 'requires_action' || intent.payment_method === null) {
    throw unexpectedState('answer a challenge of', intent);
  }
  const method = account.find('payment_method', intent.payment_method);
  if (outcome === 'authenticated') return settle(account, intent, method);
  // https://docs.stripe.com/error-codes#payment-intent-authentication-failure
  const code = `${intent.object}_authentication_failure`;
  const message =
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
  return fail(account, intent, { type: 'invalid_request_error', code, message, payment_method: method });
}

function settle(account: Account, intent: Intent, method: PaymentMethod): Intent {
  const card = account.cardOf(method.id);
  if (intent.object === 'setup_intent') {
    if (card.decline && !card.storable) return fail(account, intent, declineError(card.decline, method));
    if (intent.customer !== null) account.save({ ...method, customer: intent.customer });
    card.setUp = true;
    return report(account, 'succeeded', { ...intent, status: 'succeeded', next_action: null });
  }
  const { charge, decline } = createCharge(account, intent, method);
  const charged = { ...intent, latest_charge: charge.id, next_action: null };
  if (charge.status !== 'pending') return pay(account, charged, charge, decline);
  return report(account, 'processing', { ...charged, status: 'processing' });
}

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
export function settlePayment(account: Account, id: string, decline: Decline | null): Intent {
  const intent = account.find('payment_intent', id);
  if (intent.status !== 'processing') throw unexpectedState('settle', intent);
  const charge = endCharge(account, account.find('charge', intent.latest_charge ?? ''), decline);
  return pay(account, intent, charge, decline);
}

function pay(account: Account, intent: PaymentIntent, charge: Charge, decline: Decline | null): Intent {
  const method = account.find('payment_method', charge.payment_method);
  const card = account.cardOf(method.id);
  if (decline) return fail(account, intent, declineError(decline, method, charge.id));
  // https://docs.stripe.com/api/payment_intents/create#create_payment_intent-setup_future_usage
  const { amount, customer, setup_future_usage } = intent;
  if (setup_future_usage !== null) card.setUp = true;
  if (setup_future_usage !== null && customer !== null) account.save({ ...method, customer });
  else if (method.customer === null) card.spent = true;
  const { disputes } = card;
  if (disputes) setImmediate(() => openDispute(account, charge.id, { status: disputes }));
  return report(account, 'succeeded', { ...intent, status: 'succeeded', amount_received: amount });
}

/** Cancelled where the limit of attempts is reached. https://docs.stripe.com/api/payment_intents/confirm */
function fail(account: Account, intent: Intent, error: AttemptError): Intent {
  const open = { status: 'requires_payment_method', payment_method: null, next_action: null } as const;
  const event = intent.object === 'payment_intent' ? 'payment_failed' : 'setup_failed';
  const failed = report(account, event, { ...withError(intent, error), ...open });
  return account.lastAttempts.delete(intent.id) ? end(account, failed, 'automatic') : failed;
}

function withError(intent: Intent, error: AttemptError | null): Intent {
  if (intent.object === 'payment_intent') return { ...intent, last_payment_error: error };
  return { ...intent, last_setup_error: error };
}

export function report(account: Account, event: string, intent: Intent): Intent {
  account.publish(`${intent.object}.${event}`, intent);
  return account.save(intent);
}

/** Only a payment method that belongs to a customer can be used again. https://docs.stripe.com/payments/payment-methods */
export const isUnusable = (account: Account, { id, customer }: PaymentMethod): boolean =>
  customer === null && account.cardOf(id).spent;
