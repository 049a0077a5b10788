import { type Account, type ApiCall, type Endpoint, newObjectId, randomToken } from './account.ts';
import { resourceMissing, unexpectedState } from './answer.ts';
import { resolvePaymentMethod } from './cards.ts';
import { challengeParameters, setupParameters } from './intent-parameters.ts';
import { listPage, matchesCreated } from './list.ts';
import type { SetupIntent } from './objects.ts';
import { mergeMetadata, parseParameters } from './parameters.ts';
import { checkClientSecret } from './payment-intent.ts';
import { checkOwner } from './payment-methods.ts';
import { answerSetupChallenge, chooseCard, confirmSetup, viewSetupIntent } from './setup-attempt.ts';

/** The operations on setup intents, which store a card without a payment. https://docs.stripe.com/api/setup_intents */
export function setupIntentEndpoints(account: Account) {
  const find = (call: ApiCall, clientSecret: string | undefined): SetupIntent => {
    const intent = account.setupIntents.get(call.id);
    if (!intent) throw resourceMissing('setupintent', call.id);
    checkClientSecret(intent, call, clientSecret);
    return intent;
  };

  /** The id of the payment method that a parameter names, if this intent may have it. */
  const resolve = (id: string | undefined, intent: SetupIntent, call: ApiCall): string | null => {
    if (id === undefined) return intent.payment_method;
    const stored = resolvePaymentMethod(account, id);
    checkOwner(stored, intent, call);
    return stored.paymentMethod.id;
  };

  const requireCustomer = (id: string | undefined): void => {
    if (id !== undefined && !account.customers.has(id)) throw resourceMissing('customer', id, 'customer');
  };

  const create: Endpoint = (call) => {
    const {
      confirm,
      metadata: pairs,
      return_url: _returnUrl,
      ...fields
    } = parseParameters(setupParameters.create, call.parameters);
    requireCustomer(fields.customer);
    const fresh = newSetupIntent(account, { ...fields, payment_method: null });
    const payment_method = resolve(fields.payment_method, fresh, call);
    const status = payment_method === null ? 'requires_payment_method' : 'requires_confirmation';
    const intent = { ...fresh, payment_method, status, metadata: mergeMetadata({}, pairs) } as const;
    // An intent that cannot be confirmed is not created either.
    if (confirm) chooseCard(account, intent, undefined, call);
    account.setupIntents.set(intent.id, intent);
    account.publish('setup_intent.created', intent, call);
    return confirm ? confirmSetup(account, intent, undefined, call) : intent;
  };

  const retrieve: Endpoint = (call) => {
    const { client_secret } = parseParameters(setupParameters.retrieve, call.parameters);
    return viewSetupIntent(find(call, client_secret), call.keyKind);
  };

  const update: Endpoint = (call) => {
    const {
      metadata: pairs,
      payment_method: methodId,
      ...fields
    } = parseParameters(setupParameters.update, call.parameters);
    const found = find(call, undefined);
    requireCustomer(fields.customer);
    if (methodId !== undefined && (found.status === 'succeeded' || found.status === 'canceled')) {
      const reason = found.status === 'succeeded' ? 'it has already succeeded' : 'it has been canceled';
      throw unexpectedState(`You cannot update this SetupIntent because ${reason}.`, found);
    }
    const intent = { ...found, ...fields, metadata: mergeMetadata(found.metadata, pairs) };
    const payment_method = resolve(methodId, intent, call);
    const status = methodId === undefined ? intent.status : 'requires_confirmation';
    const updated = { ...intent, payment_method, status } as const;
    account.setupIntents.set(updated.id, updated);
    return updated;
  };

  const confirm: Endpoint = (call) => {
    const { client_secret, payment_method } = parseParameters(setupParameters.confirm, call.parameters);
    return confirmSetup(account, find(call, client_secret), payment_method, call);
  };

  const answerChallenge: Endpoint = (call) => {
    const { client_secret, outcome } = parseParameters(challengeParameters, call.parameters);
    return answerSetupChallenge(account, find(call, client_secret), outcome, call);
  };

  const cancel: Endpoint = (call) => {
    const { cancellation_reason = null } = parseParameters(setupParameters.cancel, call.parameters);
    const intent = find(call, undefined);
    if (intent.status === 'succeeded' || intent.status === 'canceled') {
      const message =
        intent.status === 'canceled'
          ? 'You cannot cancel this SetupIntent because it is already canceled.'
          : 'You cannot cancel this SetupIntent because it has a status of succeeded. Only a SetupIntent with one of the following statuses may be canceled: `requires_payment_method`, `requires_confirmation`, or `requires_action`.';
      throw unexpectedState(message, intent);
    }
    const canceled: SetupIntent = { ...intent, status: 'canceled', cancellation_reason, next_action: null };
    account.setupIntents.set(canceled.id, canceled);
    account.publish('setup_intent.canceled', canceled, call);
    return canceled;
  };

  const list: Endpoint = (call) => {
    const { created, customer, payment_method, ...page } = parseParameters(
      setupParameters.list,
      call.parameters,
    );
    const intents = [...account.setupIntents.values()].filter(
      (intent) =>
        (customer === undefined || intent.customer === customer) &&
        (payment_method === undefined || intent.payment_method === payment_method) &&
        matchesCreated(intent.created, created),
    );
    return listPage('/v1/setup_intents', 'setupintent', intents, page);
  };

  return { create, retrieve, update, confirm, answerChallenge, cancel, list };
}

function newSetupIntent(account: Account, fields: Partial<SetupIntent>): SetupIntent {
  const id = newObjectId('seti');
  return {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${randomToken(25)}`,
    created: account.nowSeconds(),
    customer: null,
    description: null,
    last_setup_error: null,
    livemode: false,
    metadata: {},
    next_action: null,
    payment_method: null,
    payment_method_types: ['card'],
    status: 'requires_payment_method',
    usage: 'off_session',
    ...fields,
  };
}
