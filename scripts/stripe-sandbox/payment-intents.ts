import type * as v from 'valibot';
import type { Account, ApiCall, Endpoint } from './account.ts';
import { ParameterError, resourceMissing, unexpectedState } from './answer.ts';
import { resolvePaymentMethod } from './cards.ts';
import { paymentParameters } from './intent-parameters.ts';
import { listPage, matchesCreated } from './list.ts';
import type { PaymentIntent } from './objects.ts';
import { mergeMetadata, parseParameters } from './parameters.ts';
import { confirmIntent, prepare } from './payment-confirmation.ts';
import {
  findPaymentIntent,
  newPaymentIntent,
  savePaymentIntent,
  viewPaymentIntent,
} from './payment-intent.ts';

const MINIMUM_AMOUNT = 50;
const MAXIMUM_AMOUNT = 99_999_999;

type Update = v.InferOutput<typeof paymentParameters.update>;

/** The operations on payment intents except their confirmation. https://docs.stripe.com/api/payment_intents */
export function paymentIntentEndpoints(account: Account) {
  const create: Endpoint = (call) => {
    const {
      metadata: pairs,
      confirm = false,
      off_session,
      return_url: _returnUrl,
      ...fields
    } = parseParameters(paymentParameters.create, call.parameters);
    const paymentMethodId = resolveReferences(account, fields);
    const intent = newPaymentIntent(account, {
      ...fields,
      metadata: mergeMetadata({}, pairs),
      payment_method: paymentMethodId ?? null,
      status: paymentMethodId === undefined ? 'requires_payment_method' : 'requires_confirmation',
    });
    if (off_session !== undefined && !confirm) {
      // https://docs.stripe.com/api/payment_intents/create#create_payment_intent-off_session
      throw new ParameterError('off_session can only be used with confirm=true.', { param: 'off_session' });
    }
    const prepared =
      confirm && prepare(account, intent, { payment_method: paymentMethodId, off_session }, call);
    account.paymentIntents.set(intent.id, intent);
    account.publish('payment_intent.created', intent, call);
    return prepared ? confirmIntent(account, prepared, call) : intent;
  };

  const retrieve: Endpoint = (call) => {
    const { client_secret } = parseParameters(paymentParameters.retrieve, call.parameters);
    return viewPaymentIntent(findPaymentIntent(account, call, client_secret), call.keyKind);
  };

  const update: Endpoint = (call) => {
    const { metadata: pairs, ...fields } = parseParameters(paymentParameters.update, call.parameters);
    const intent = findPaymentIntent(account, call, undefined);
    checkUpdatable(intent, fields);
    const paymentMethodId = resolveReferences(account, fields);
    const changes: Partial<PaymentIntent> =
      paymentMethodId === undefined
        ? fields
        : { ...fields, payment_method: paymentMethodId, status: 'requires_confirmation', next_action: null };
    return savePaymentIntent(account, intent, {
      ...changes,
      last_payment_error: null,
      metadata: mergeMetadata(intent.metadata, pairs),
    });
  };

  const list: Endpoint = (call) => {
    const { created, customer, ...page } = parseParameters(paymentParameters.list, call.parameters);
    const intents = [...account.paymentIntents.values()].filter(
      (intent) =>
        (customer === undefined || intent.customer === customer) && matchesCreated(intent.created, created),
    );
    return listPage('/v1/payment_intents', 'payment_intent', intents, page);
  };

  const cancel: Endpoint = (call) => cancelPaymentIntent(account, call);

  return { create, retrieve, update, list, cancel };
}

function resolveReferences(account: Account, fields: Update): string | undefined {
  const { amount, customer, payment_method } = fields;
  if (amount !== undefined && amount < MINIMUM_AMOUNT) {
    throw new ParameterError('Amount must be at least $0.50 usd', {
      param: 'amount',
      code: 'amount_too_small',
    });
  }
  if (amount !== undefined && amount > MAXIMUM_AMOUNT) {
    throw new ParameterError('Amount must be no more than $999,999.99', {
      param: 'amount',
      code: 'amount_too_large',
    });
  }
  if (customer !== undefined && !account.customers.has(customer)) {
    throw resourceMissing('customer', customer, 'customer');
  }
  return payment_method === undefined
    ? undefined
    : resolvePaymentMethod(account, payment_method).paymentMethod.id;
}

/** A cancelled intent takes no changes at all. https://docs.stripe.com/payments/paymentintents/lifecycle */
function checkUpdatable(intent: PaymentIntent, fields: Update): void {
  if (intent.status === 'canceled') {
    throw unexpectedState(
      'This PaymentIntent could not be updated because it has a status of canceled.',
      intent,
    );
  }
  if (intent.status !== 'succeeded') return;
  const frozen = (['amount', 'currency', 'customer', 'payment_method', 'setup_future_usage'] as const).find(
    (name) => fields[name] !== undefined,
  );
  if (frozen === undefined) return;
  throw unexpectedState(
    `This PaymentIntent's ${frozen} could not be updated because it has a status of ${intent.status}. You may only update the ${frozen} of a PaymentIntent with one of the following statuses: requires_payment_method, requires_confirmation, requires_action.`,
    intent,
  );
}

function cancelPaymentIntent(account: Account, call: ApiCall): PaymentIntent {
  const { cancellation_reason } = parseParameters(paymentParameters.cancel, call.parameters);
  const intent = findPaymentIntent(account, call, undefined);
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpectedState(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
      intent,
    );
  }
  const canceled = savePaymentIntent(account, intent, {
    status: 'canceled',
    canceled_at: account.nowSeconds(),
    cancellation_reason: cancellation_reason ?? null,
    next_action: null,
  });
  account.publish('payment_intent.canceled', canceled, call);
  return canceled;
}
