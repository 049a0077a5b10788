import * as v from 'valibot';
import { type Account, type DeletedCustomer, newId, type PaymentMethod } from './account.ts';
import { ApiError, ParameterError, refusal } from './answer.ts';
import { cardParameters, createPaymentMethod, declineError, NOBODY, resolvePaymentMethod } from './cards.ts';
import { isUnusable, UNUSABLE } from './intents.ts';
import {
  cardOnly,
  clearable,
  id,
  mergeMetadata,
  nothing,
  operation,
  optionalEmail,
  optionalMetadata,
  phrase,
  type Resource,
} from './routes.ts';

/** Stripe answers with null for a line that is not given, and for one that is empty. */
const lines = v.objectWithRest({ line2: v.optional(clearable(v.string()), null) }, v.string());
const address = v.exactOptional(clearable(lines));
const details = { address, email: optionalEmail, name: phrase(256), phone: phrase(20) };
const customerFields = v.strictObject({ ...details, ...optionalMetadata });

const newMethod = v.strictObject({
  type: cardOnly,
  card: cardParameters,
  billing_details: v.exactOptional(v.strictObject({ ...details, phone: phrase(5000) })),
});

export function customers(account: Account): Resource {
  return {
    path: 'customers',
    filters: { email: v.exactOptional(v.string()) },
    owns: ['payment_method'],
    create: operation(customerFields, ({ metadata: pairs, ...fields }) => {
      const customer = account.save({
        id: newId('cus'),
        object: 'customer',
        created: account.nowSeconds(),
        ...NOBODY,
        ...fields,
        metadata: mergeMetadata({}, pairs),
      });
      account.publish('customer.created', customer);
      return customer;
    }),
    retrieve: operation(nothing, (_none, call) => {
      return account.deleted.get(call.id) ?? account.find('customer', call.id);
    }),
    update: operation(customerFields, ({ metadata: pairs, ...fields }, call) => {
      const found = account.find('customer', call.id);
      const changed = account.save({ ...found, ...fields, metadata: mergeMetadata(found.metadata, pairs) });
      account.publish('customer.updated', changed);
      return changed;
    }),
    remove: operation(nothing, (_none, call) => deleteCustomer(account, call.id)),
  };
}

export function deleteCustomer(account: Account, id: string): DeletedCustomer {
  const customer = account.find('customer', id);
  for (const method of account.all('payment_method')) if (method.customer === id) detach(account, method);
  account.publish('customer.deleted', customer);
  return account.delete(id);
}

/** For good: it cannot be used again. https://docs.stripe.com/api/payment_methods/detach */
function detach(account: Account, method: PaymentMethod): PaymentMethod {
  account.cardOf(method.id).spent = true;
  const detached = account.save({ ...method, customer: null });
  account.publish('payment_method.detached', detached, { customer: method.customer });
  return detached;
}

export function paymentMethods(account: Account): Resource {
  const attach = (method: PaymentMethod, customer: string) => {
    account.find('customer', customer, 'customer');
    if (method.customer !== null) {
      throw new ParameterError('The payment method you provided has already been attached to a customer.');
    }
    // Recorded in stripe-php issue 1221.
    if (isUnusable(account, method)) throw refusal(400, UNUSABLE);
    const { decline, storable } = account.cardOf(method.id);
    if (decline && !storable) throw new ApiError(402, declineError(decline, method));
    return account.save({ ...method, customer });
  };
  const create = operation(
    newMethod,
    ({ card, billing_details }) => createPaymentMethod(account, card, { ...NOBODY, ...billing_details }),
    true,
  );
  return {
    path: 'payment_methods',
    create,
    retrieve: operation(nothing, (_none, { id }) => resolvePaymentMethod(account, id)),
    actions: {
      attach: operation(v.strictObject({ customer: id }), ({ customer }, call) =>
        attach(resolvePaymentMethod(account, call.id), customer),
      ),
      detach: operation(nothing, (_none, call) => {
        const method = account.find('payment_method', call.id);
        if (method.customer === null) throw new ParameterError('It is not attached to a customer.');
        return detach(account, method);
      }),
    },
  };
}
