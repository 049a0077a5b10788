import * as v from 'valibot';
import { type Account, newId, randomToken } from './account.ts';
import { ApiError, ParameterError, refusal } from './answer.ts';
import { resolvePaymentMethod } from './cards.ts';
import { createCharge, openDispute } from './charges.ts';
import { declineError, declineOf } from './declines.ts';
import type { AttemptError, Intent, PaymentMethod } from './objects.ts';
import { boolean, clearable, email, id } from './parameters.ts';
import { type Call, operation } from './resource.ts';

export const usage = v.picklist(['off_session', 'on_session'], 'Invalid usage');

const CHALLENGE = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_challenge' } } as const;

/** What a new intent of either kind has, until its card is known. */
export function newIntent(account: Account, prefix: 'pi' | 'seti') {
  const name = newId(prefix);
  return {
    ...{ id: name, client_secret: `${name}_secret_${randomToken()}`, created: account.nowSeconds() },
    ...{ payment_method: null, payment_method_types: ['card'], next_action: null },
    ...{ customer: null, description: null },
  };
}

const secret = { client_secret: v.exactOptional(id) };
const confirmation = v.strictObject({
  ...secret,
  payment_method: v.exactOptional(id),
  off_session: v.exactOptional(boolean),
  receipt_email: v.exactOptional(clearable(email)),
  setup_future_usage: v.exactOptional(usage),
});

/** How a 3-D Secure challenge ended, as reported by the browser's script. */
const challengeEnd = v.strictObject({ client_secret: id, outcome: v.picklist(['authenticated', 'failed']) });

/** What a browser may do with an intent. */
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
    ({ client_secret, payment_method, off_session, ...fields }, call) => {
      const intent = { ...find(call, client_secret), ...fields };
      return prepareConfirmation(account, intent, { payment_method, off_session }, call)();
    },
    true,
  );
  const challenge = operation(
    challengeEnd,
    ({ client_secret, outcome }, call) => answerChallenge(account, find(call, client_secret), outcome, call),
    true,
  );
  return { retrieve, confirm, challenge };
}

/** Refuses an operation that the present state of an intent does not allow. */
export function unexpectedState(action: string, intent: Intent): ApiError {
  const { object, status } = intent;
  const name = object === 'payment_intent' ? 'PaymentIntent' : 'SetupIntent';
  const message = `You cannot ${action} this ${name} because it has a status of ${status}.`;
  return refusal(400, message, { code: `${object}_unexpected_state`, [object]: intent });
}

/** With what, and at whose request, an intent is attempted. */
type Attempt = { account: Account; method: PaymentMethod; offSession: boolean; call: Call };

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
  if (chosen === null) throw unexpectedState('confirm without a payment method', intent);
  const method = resolvePaymentMethod(account, chosen);
  const refuse = (message: string, param: string) => new ParameterError(message, { param });
  checkUnspent(account, method);
  if (method.customer !== null && method.customer !== intent.customer) {
    throw refuse(`The PaymentMethod ${method.id} does not belong to this customer.`, 'payment_method');
  }
  if (offSession && 'setup_future_usage' in intent && intent.setup_future_usage !== null) {
    throw refuse('`off_session` is not possible when `setup_future_usage` is also set.', 'off_session');
  }
  // https://docs.stripe.com/payments/save-during-payment#charge-saved-payment-method
  if (offSession && method.customer === null) {
    throw refuse(`The PaymentMethod ${chosen} is not attached to the customer.`, 'payment_method');
  }
  return () => {
    const begun = { ...withError(intent, null), payment_method: method.id, next_action: null };
    const attempted = attempt(begun, { account, method, offSession, call });
    const { object } = attempted;
    const error = object === 'payment_intent' ? attempted.last_payment_error : attempted.last_setup_error;
    if (error) throw new ApiError(402, { ...error, [object]: attempted });
    return attempted;
  };
}

/**
 * Tries to pay or to store a card: it succeeds, fails, or waits for 3-D Secure. Off-session nobody can
 * authenticate, so a payment for which the bank requires authentication is declined; the customer may confirm
 * the same intent later, with the error's payment method.
 */
function attempt(intent: Intent, by: Attempt): Intent {
  const { asks, setUp } = by.account.cardOf(by.method.id);
  const isFree = by.offSession && (asks === 'on-session' || (asks === 'unless-set-up' && setUp));
  if (asks === undefined || isFree) return settle(intent, by);
  if (by.offSession) return fail(intent, declineError(declineOf('authentication_required'), by.method), by);
  return report('requires_action', { ...intent, status: 'requires_action', next_action: CHALLENGE }, by);
}

function answerChallenge(account: Account, intent: Intent, outcome: string, call: Call): Intent {
  if (intent.status !== 'requires_action' || intent.payment_method === null) {
    throw unexpectedState('answer a challenge of', intent);
  }
  const method = account.find('payment_method', intent.payment_method);
  const by = { account, method, offSession: false, call };
  if (outcome === 'authenticated') return settle(intent, by);
  // https://docs.stripe.com/error-codes#payment-intent-authentication-failure
  const code = `${intent.object}_authentication_failure`;
  const message =
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
  return fail(intent, { type: 'invalid_request_error', code, message, payment_method: method }, by);
}

/** Ends an attempt that needs no authentication, or has it. */
function settle(intent: Intent, by: Attempt): Intent {
  const { account, method } = by;
  const card = account.cardOf(method.id);
  const done = { status: 'succeeded', next_action: null } as const;
  if (intent.object === 'setup_intent') {
    if (card.decline && !card.storable) return fail(intent, declineError(card.decline, method), by);
    if (intent.customer !== null) account.save({ ...method, customer: intent.customer });
    if (intent.usage === 'off_session') card.setUp = true;
    return report('succeeded', { ...intent, ...done }, by);
  }
  const { charge, decline } = createCharge(account, intent, method);
  const charged = { ...intent, latest_charge: charge.id };
  if (decline) return fail(charged, declineError(decline, method, charge.id), by);
  // https://docs.stripe.com/api/payment_intents/create#create_payment_intent-setup_future_usage
  const { amount, customer, setup_future_usage } = intent;
  if (setup_future_usage === 'off_session') card.setUp = true;
  if (setup_future_usage !== null && customer !== null) account.save({ ...method, customer });
  else if (method.customer === null) card.spent = true;
  if (card.disputes) openDispute(account, charge.id, card.disputes);
  return report('succeeded', { ...charged, ...done, amount_received: amount }, by);
}

/** The intent waits for another payment method. */
function fail(intent: Intent, error: AttemptError, by: Attempt): Intent {
  const open = { status: 'requires_payment_method', payment_method: null, next_action: null } as const;
  const event = intent.object === 'payment_intent' ? 'payment_failed' : 'setup_failed';
  return report(event, { ...withError(intent, error), ...open }, by);
}

function withError(intent: Intent, error: AttemptError | null): Intent {
  if (intent.object === 'payment_intent') return { ...intent, last_payment_error: error };
  return { ...intent, last_setup_error: error };
}

/** Stores a changed intent and reports the change. */
export function report(
  event: string,
  intent: Intent,
  { account, call }: Pick<Attempt, 'account' | 'call'>,
): Intent {
  account.publish(`${intent.object}.${event}`, intent, call);
  return account.save(intent);
}

/** Only a payment method that belongs to a customer can be used again. https://docs.stripe.com/payments/payment-methods */
export function checkUnspent(account: Account, method: PaymentMethod): void {
  if (method.customer !== null || !account.cardOf(method.id).spent) return;
  const message =
    'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.';
  throw new ParameterError(message, { param: 'payment_method' });
}
