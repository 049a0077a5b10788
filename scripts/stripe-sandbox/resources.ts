import * as v from 'valibot';
import { type Account, newId } from './account.ts';
import { ApiError, ParameterError, refusal } from './answer.ts';
import { cardParameters, createPaymentMethod, NOBODY, resolvePaymentMethod } from './cards.ts';
import { createRefund } from './charges.ts';
import { declineError } from './declines.ts';
import {
  checkUnspent,
  intentOperations,
  newIntent,
  prepareConfirmation,
  report,
  unexpectedState,
  usage,
} from './intents.ts';
import type { Intent, PaymentIntent, PaymentMethod, SetupIntent } from './objects.ts';
import { boolean, clearable, email, id, integer, mergeMetadata, metadata, text } from './parameters.ts';
import { changing, nothing, operation, type Resource, type Resources } from './resource.ts';

const optionalId = v.exactOptional(id);
const optionalMetadata = v.exactOptional(metadata);
const optionalBoolean = v.exactOptional(boolean);
const optionalEmail = v.exactOptional(clearable(email));
const metadataOnly = v.strictObject({ metadata: optionalMetadata });

const phrase = (maxLength: number) => v.exactOptional(clearable(text(maxLength)));

const NO_ADDRESS = { line1: null, line2: null, city: null, state: null, postal_code: null, country: null };
const line = phrase(500);
const lines = { line1: line, line2: line, city: line, state: line, postal_code: line, country: line };

const address = v.exactOptional(
  clearable(
    v.pipe(
      v.strictObject(lines),
      v.transform((given) => ({ ...NO_ADDRESS, ...given })),
    ),
  ),
);

/** Name and phone number have other limits where they belong to a card. */
const detailsOf = (name: number, phone: number) => ({
  ...{ address, email: optionalEmail, name: phrase(name), phone: phrase(phone) },
});

const customerFields = v.strictObject({
  ...detailsOf(256, 20),
  ...{ description: phrase(5000), metadata: optionalMetadata },
});

const cardOnly = v.literal('card', 'Invalid type: the sandbox takes cards only');

const newMethod = v.strictObject({
  type: cardOnly,
  card: cardParameters,
  billing_details: v.exactOptional(v.strictObject(detailsOf(5000, 5000))),
});

const intentFields = {
  allowed_payment_method_types: v.exactOptional(v.array(cardOnly)),
  ...{ customer: optionalId, metadata: optionalMetadata, payment_method: optionalId },
};

const newSetup = v.strictObject({
  ...{ ...intentFields, confirm: optionalBoolean, usage: v.exactOptional(usage) },
});

const currency = v.pipe(v.string('Invalid currency'), v.regex(/^[a-z]{3}$/));

const paymentChanges = v.strictObject({
  ...intentFields,
  ...{ amount: v.exactOptional(integer), currency: v.exactOptional(currency) },
  description: phrase(1000),
  receipt_email: optionalEmail,
  setup_future_usage: v.exactOptional(clearable(usage)),
});

const newPayment = v.strictObject({
  ...{ ...paymentChanges.entries, amount: integer, currency },
  ...{ confirm: optionalBoolean, off_session: optionalBoolean },
});

const cancelling = v.strictObject({
  cancellation_reason: v.exactOptional(
    v.picklist(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'], 'Invalid reason'),
  ),
});

const cancellingSetup = v.strictObject({
  cancellation_reason: v.exactOptional(
    v.picklist(['abandoned', 'duplicate', 'requested_by_customer'], 'Invalid reason'),
  ),
});

const newRefund = v.strictObject({
  amount: v.exactOptional(v.pipe(integer, v.minValue(1, 'This value must be greater than or equal to 1'))),
  ...{ charge: optionalId, metadata: optionalMetadata, payment_intent: optionalId },
  reason: v.exactOptional(v.picklist(['duplicate', 'fraudulent', 'requested_by_customer'], 'Invalid reason')),
});

/** Everything that the sandbox serves: a new kind of object is one more entry. https://docs.stripe.com/api */
export function createResources(account: Account): Resources {
  return {
    // https://docs.stripe.com/api/balance_transactions/list
    balance_transaction: { path: 'balance_transactions', filters: { payout: optionalId } },
    charge: {
      path: 'charges',
      filters: { customer: optionalId, payment_intent: optionalId },
      update: changing(account, 'charge', metadataOnly),
    },
    customer: customers(account),
    dispute: {
      path: 'disputes',
      filters: { charge: optionalId, payment_intent: optionalId },
    },
    // https://docs.stripe.com/api/events/list
    event: { path: 'events', filters: { types: v.exactOptional(v.array(v.string())) } },
    payment_intent: paymentIntents(account),
    payment_method: paymentMethods(account),
    // https://docs.stripe.com/api/payouts/list
    payout: { path: 'payouts', filters: {} },
    refund: {
      path: 'refunds',
      filters: { charge: optionalId, payment_intent: optionalId },
      create: operation(newRefund, (order, call) => createRefund(account, order, call)),
      update: changing(account, 'refund', metadataOnly, 'refund.updated'),
    },
    setup_intent: setupIntents(account),
  };
}

/** https://docs.stripe.com/api/customers */
function customers(account: Account): Resource {
  return {
    path: 'customers',
    // The filter is case-sensitive. https://docs.stripe.com/api/customers/list#list_customers-email
    filters: { email: v.exactOptional(v.string()) },
    owns: ['payment_method'],
    create: operation(customerFields, ({ metadata: pairs, ...fields }, call) => {
      const customer = account.save({
        ...{ id: newId('cus'), object: 'customer', created: account.nowSeconds() },
        ...{ ...NOBODY, description: null, ...fields },
        metadata: mergeMetadata({}, pairs),
      });
      account.publish('customer.created', customer, call);
      return customer;
    }),
    retrieve: operation(nothing, (_none, call) => {
      return account.deleted.get(call.id) ?? account.find('customer', call.id);
    }),
    update: changing(account, 'customer', customerFields, 'customer.updated'),
    // For good: updates and lists no longer find it. https://docs.stripe.com/api/customers/delete
    remove: operation(nothing, (_none, call) => {
      const customer = account.find('customer', call.id);
      return account.delete(customer);
    }),
  };
}

/** https://docs.stripe.com/api/payment_methods */
function paymentMethods(account: Account): Resource {
  const attach = (method: PaymentMethod, customer: string) => {
    account.find('customer', customer, 'customer');
    if (method.customer !== null) {
      throw new ParameterError('The payment method you provided has already been attached to a customer.');
    }
    checkUnspent(account, method);
    const { decline, storable } = account.cardOf(method.id);
    if (decline && !storable) throw new ApiError(402, declineError(decline, method));
    return account.save({ ...method, customer });
  };
  const create = operation(newMethod, ({ card, billing_details }, { keyKind }) => {
    if (keyKind === 'secret') {
      throw refusal(400, 'Card numbers come from the browser; servers use e.g. pm_card_visa.');
    }
    return createPaymentMethod(account, card, { ...NOBODY, ...billing_details });
  });
  return {
    path: 'payment_methods',
    create: { ...create, browser: true },
    actions: {
      attach: operation(v.strictObject({ customer: id }), ({ customer }, call) =>
        attach(resolvePaymentMethod(account, call.id), customer),
      ),
      detach: operation(nothing, (_none, call) => {
        const method = account.find('payment_method', call.id);
        if (method.customer === null) throw new ParameterError('It is not attached to a customer.');
        account.cardOf(method.id).spent = true;
        return account.save({ ...method, customer: null });
      }),
    },
  };
}

/** https://docs.stripe.com/api/payment_intents */
function paymentIntents(account: Account): Resource {
  const { confirm, ...operations } = intentOperations(account, 'payment_intent');
  return {
    path: 'payment_intents',
    filters: { customer: optionalId },
    ...operations,
    create: operation(newPayment, ({ confirm: atOnce, off_session, metadata: pairs, ...fields }, call) => {
      if (off_session !== undefined && !atOnce) {
        throw new ParameterError('off_session can only be used with confirm=true.', { param: 'off_session' });
      }
      const intent: PaymentIntent = {
        ...newIntent(account, 'pi'),
        ...{ object: 'payment_intent', status: 'requires_payment_method' },
        ...{ amount_received: 0, canceled_at: null, cancellation_reason: null, last_payment_error: null },
        ...{ latest_charge: null, receipt_email: null, setup_future_usage: null },
        ...fields,
        ...checkReferences(account, fields),
        metadata: mergeMetadata({}, pairs),
      };
      const attempt = atOnce ? prepareConfirmation(account, intent, { off_session }, call) : () => intent;
      report('created', intent, { account, call });
      return attempt();
    }),
    update: operation(paymentChanges, ({ metadata: pairs, ...fields }, call) => {
      const intent = account.find('payment_intent', call.id);
      checkUpdatable(intent, fields);
      const changes = { ...fields, ...checkReferences(account, fields), last_payment_error: null };
      return account.save({ ...intent, ...changes, metadata: mergeMetadata(intent.metadata, pairs) });
    }),
    actions: {
      confirm,
      cancel: operation(cancelling, ({ cancellation_reason = null }, call) => {
        const intent = cancelled(account.find('payment_intent', call.id));
        const ended = { ...intent, cancellation_reason, canceled_at: account.nowSeconds() };
        return report('canceled', ended, { account, call });
      }),
    },
  };
}

/** https://docs.stripe.com/api/payment_intents/cancel and https://docs.stripe.com/api/setup_intents/cancel */
function cancelled<Cancelled extends Intent>(intent: Cancelled): Cancelled {
  const { status } = intent;
  if (status === 'succeeded' || status === 'canceled') throw unexpectedState('cancel', intent);
  return { ...intent, status: 'canceled', next_action: null };
}

type Changes = v.InferOutput<typeof paymentChanges>;

/** Checks amount, customer and card of an intent; returns what changes with the card. */
function checkReferences(account: Account, { amount, customer, payment_method }: Changes) {
  // https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
  if (amount !== undefined && amount < 50) {
    const code = 'amount_too_small';
    throw new ParameterError('Amount must be at least $0.50 usd', { param: 'amount', code });
  }
  if (customer !== undefined) account.find('customer', customer, 'customer');
  if (payment_method === undefined) return {};
  const chosen = resolvePaymentMethod(account, payment_method).id;
  return { payment_method: chosen, status: 'requires_confirmation', next_action: null } as const;
}

/** Fields that stay once the intent has succeeded. */
const FROZEN = ['amount', 'currency', 'customer', 'payment_method', 'setup_future_usage'] as const;

/** A cancelled intent takes no changes at all. https://docs.stripe.com/payments/paymentintents/lifecycle */
function checkUpdatable(intent: PaymentIntent, fields: Changes): void {
  if (intent.status === 'canceled') throw unexpectedState('update', intent);
  const frozen = intent.status === 'succeeded' && FROZEN.find((name) => fields[name] !== undefined);
  if (frozen) throw unexpectedState(`update the ${frozen} of`, intent);
}

/** They store a card without a payment. https://docs.stripe.com/api/setup_intents */
function setupIntents(account: Account): Resource {
  const { confirm, ...operations } = intentOperations(account, 'setup_intent');
  return {
    path: 'setup_intents',
    filters: { customer: optionalId },
    ...operations,
    create: operation(newSetup, ({ confirm: atOnce, metadata: pairs, ...fields }, call) => {
      const intent: SetupIntent = {
        ...newIntent(account, 'seti'),
        ...{ object: 'setup_intent', status: 'requires_payment_method' },
        ...{ cancellation_reason: null, last_setup_error: null, usage: 'off_session' },
        ...fields,
        ...checkReferences(account, fields),
        metadata: mergeMetadata({}, pairs),
      };
      const attempt = atOnce ? prepareConfirmation(account, intent, {}, call) : () => intent;
      report('created', intent, { account, call });
      return attempt();
    }),
    actions: {
      confirm,
      cancel: operation(cancellingSetup, ({ cancellation_reason = null }, call) => {
        const ended = { ...cancelled(account.find('setup_intent', call.id)), cancellation_reason };
        return report('canceled', ended, { account, call });
      }),
    },
  };
}
