import * as v from 'valibot';
import type { Account, ApiCall, Endpoint } from './account.ts';
import { ApiError, ParameterError, resourceMissing } from './answer.ts';
import { cardParameters, checkCard, NO_BILLING_DETAILS, resolvePaymentMethod, storeCard } from './cards.ts';
import { address } from './customers.ts';
import { declineError } from './declines.ts';
import { listPage, pageParameters } from './list.ts';
import type { StoredPaymentMethod } from './objects.ts';
import { clearable, email, mergeMetadata, metadata, parseParameters, text } from './parameters.ts';

const cardOnly = v.literal('card', 'Invalid type: the sandbox takes cards only');

const createParameters = v.strictObject({
  type: cardOnly,
  card: cardParameters,
  billing_details: v.exactOptional(
    v.strictObject({
      name: v.exactOptional(clearable(text(5000))),
      email: v.exactOptional(clearable(email)),
      phone: v.exactOptional(clearable(text(5000))),
      address: v.exactOptional(address),
    }),
  ),
  metadata: v.exactOptional(metadata),
});

const attachParameters = v.strictObject({ customer: text(255) });

const listParameters = v.strictObject({ ...pageParameters, type: v.exactOptional(cardOnly) });

const listAllParameters = v.strictObject({ ...listParameters.entries, customer: text(255) });

/** The operations on payment methods. https://docs.stripe.com/api/payment_methods */
export function paymentMethodEndpoints(account: Account) {
  const find = (call: ApiCall): StoredPaymentMethod => {
    const stored = account.paymentMethods.get(call.id);
    if (!stored) throw resourceMissing('PaymentMethod', call.id);
    return stored;
  };

  const create: Endpoint = (call) => {
    const { card, billing_details, metadata: pairs } = parseParameters(createParameters, call.parameters);
    if (call.keyKind === 'secret') {
      throw new ApiError(400, {
        type: 'invalid_request_error',
        message:
          'Card numbers come from the browser, with the publishable key; servers use e.g. pm_card_visa.',
      });
    }
    const testCard = checkCard(card, account.nowSeconds());
    return storeCard(account, testCard, {
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      billing_details: { ...NO_BILLING_DETAILS, ...billing_details },
      metadata: mergeMetadata({}, pairs),
    }).paymentMethod;
  };

  const retrieve: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    return find(call).paymentMethod;
  };

  const retrieveOfCustomer: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    const { paymentMethod } = find(call);
    if (paymentMethod.customer !== call.ownerId) throw resourceMissing('PaymentMethod', call.id);
    return paymentMethod;
  };

  const attach: Endpoint = (call) => {
    const { customer } = parseParameters(attachParameters, call.parameters);
    const stored = resolvePaymentMethod(account, call.id);
    if (!account.customers.has(customer)) throw resourceMissing('customer', customer, 'customer');
    if (stored.paymentMethod.customer !== null) {
      throw new ParameterError(
        'The payment method you provided has already been attached to a customer.',
        {},
      );
    }
    if (stored.spent) throw spentPaymentMethod();
    const { decline, attaches } = stored.behaviour;
    if (decline && !attaches) throw new ApiError(402, declineError(decline, stored));
    return attachTo(stored, customer).paymentMethod;
  };

  const detach: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    const stored = find(call);
    if (stored.paymentMethod.customer === null) {
      throw new ParameterError(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
        {},
      );
    }
    stored.paymentMethod = { ...stored.paymentMethod, customer: null };
    stored.spent = true;
    return stored.paymentMethod;
  };

  const listOf = (customer: string, url: string, page: v.InferOutput<typeof listParameters>) => {
    const all = [...account.paymentMethods.values()].map(({ paymentMethod }) => paymentMethod);
    const { type: _type, ...position } = page;
    const own = all.filter((paymentMethod) => paymentMethod.customer === customer);
    return listPage(url, 'PaymentMethod', own, position);
  };

  const list: Endpoint = (call) => {
    const { customer, ...page } = parseParameters(listAllParameters, call.parameters);
    return listOf(customer, '/v1/payment_methods', page);
  };

  const listOfCustomer: Endpoint = (call) => {
    const page = parseParameters(listParameters, call.parameters);
    const { ownerId } = call;
    if (!account.customers.has(ownerId)) throw resourceMissing('customer', ownerId);
    return listOf(ownerId, `/v1/customers/${ownerId}/payment_methods`, page);
  };

  return { create, retrieve, retrieveOfCustomer, attach, detach, list, listOfCustomer };
}

/** Attaches a payment method to a customer. */
export function attachTo(stored: StoredPaymentMethod, customer: string): StoredPaymentMethod {
  stored.paymentMethod = { ...stored.paymentMethod, customer };
  return stored;
}

/**
 * Only a payment method that belongs to a customer can be used again.
 * https://docs.stripe.com/payments/payment-methods#using-a-payment-method-more-than-once
 */
function spentPaymentMethod(): ApiError {
  return new ParameterError(
    'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.',
    { param: 'payment_method' },
  );
}

/** The intent for which a payment method is to be used: its kind and its customer. */
type Intent = { object: 'payment_intent' | 'setup_intent'; customer: string | null };

/**
 * Refuses a payment method that may not be used for this intent: one of another customer, and one that is
 * spent. https://docs.stripe.com/api/payment_intents/confirm#confirm_payment_intent-payment_method
 */
export function checkOwner(stored: StoredPaymentMethod, { object, customer }: Intent, call: ApiCall): void {
  const { id, customer: owner } = stored.paymentMethod;
  if (owner === null && stored.spent) throw spentPaymentMethod();
  if (owner === null || owner === customer) return;
  const name = object === 'payment_intent' ? 'PaymentIntent' : 'SetupIntent';
  let message = `The PaymentMethod ${id} does not belong to the Customer you supplied ${customer}. Please use this PaymentMethod with the Customer that it belongs to instead.`;
  if (customer === null) {
    message = `The payment method supplied (${id}) belongs to the Customer ${owner}. Please include the Customer in the \`customer\` parameter on the ${name}.`;
  }
  // With a publishable key, no customer's id is revealed.
  if (call.keyKind === 'publishable') message = 'The payment method belongs to another customer.';
  throw new ParameterError(message, { param: 'payment_method' });
}
