import * as v from 'valibot';
import { type Account, type ApiCall, type Endpoint, newObjectId } from './account.ts';
import { resourceMissing } from './answer.ts';
import { createdFilter, listPage, matchesCreated, pageParameters } from './list.ts';
import type { Customer } from './objects.ts';
import { clearable, email, mergeMetadata, metadata, parseParameters, text } from './parameters.ts';

const addressLine = v.exactOptional(clearable(text(500)));

const NO_ADDRESS = { line1: null, line2: null, city: null, state: null, postal_code: null, country: null };

/** A postal address, as part of customers and billing details. */
export const address = v.pipe(
  v.strictObject({
    line1: addressLine,
    line2: addressLine,
    city: addressLine,
    state: addressLine,
    postal_code: addressLine,
    country: addressLine,
  }),
  v.transform((lines) => ({ ...NO_ADDRESS, ...lines })),
);

const customerParameters = v.strictObject({
  address: v.exactOptional(
    v.pipe(
      v.unknown(),
      v.transform((value) => (value === '' ? null : value)),
      v.nullable(address),
    ),
  ),
  description: v.exactOptional(clearable(text(5000))),
  email: v.exactOptional(clearable(email)),
  metadata: v.exactOptional(metadata),
  name: v.exactOptional(clearable(text(256))),
  phone: v.exactOptional(clearable(text(20))),
});

const listParameters = v.strictObject({
  ...pageParameters,
  created: v.exactOptional(createdFilter),
  email: v.exactOptional(v.string()),
});

/** The operations on customers. https://docs.stripe.com/api/customers */
export function customerEndpoints(account: Account) {
  const find = (call: ApiCall): Customer => {
    const customer = account.customers.get(call.id);
    if (!customer) throw resourceMissing('customer', call.id);
    return customer;
  };

  const create: Endpoint = (call) => {
    const { metadata: pairs, ...fields } = parseParameters(customerParameters, call.parameters);
    const customer: Customer = {
      id: newObjectId('cus'),
      object: 'customer',
      address: null,
      created: account.nowSeconds(),
      description: null,
      email: null,
      livemode: false,
      name: null,
      phone: null,
      ...fields,
      metadata: mergeMetadata({}, pairs),
    };
    account.customers.set(customer.id, customer);
    account.publish('customer.created', customer, call);
    return customer;
  };

  const update: Endpoint = (call) => {
    const customer = find(call);
    const { metadata: pairs, ...fields } = parseParameters(customerParameters, call.parameters);
    const updated = { ...customer, ...fields, metadata: mergeMetadata(customer.metadata, pairs) };
    account.customers.set(updated.id, updated);
    account.publish('customer.updated', updated, call);
    return updated;
  };

  const retrieve: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    return account.deletedCustomers.get(call.id) ?? find(call);
  };

  /**
   * Deletes a customer for good: updates and lists no longer find it.
   * https://docs.stripe.com/api/customers/delete
   */
  const remove: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    const { id, object } = find(call);
    const deleted = { id, object, deleted: true } as const;
    account.publish('customer.deleted', find(call), call);
    account.customers.delete(id);
    account.deletedCustomers.set(id, deleted);
    return deleted;
  };

  const list: Endpoint = (call) => {
    const { email: wanted, created, ...page } = parseParameters(listParameters, call.parameters);
    // The filter is case-sensitive. https://docs.stripe.com/api/customers/list#list_customers-email
    const customers = [...account.customers.values()].filter(
      (customer) =>
        (wanted === undefined || customer.email === wanted) && matchesCreated(customer.created, created),
    );
    return listPage('/v1/customers', 'customer', customers, page);
  };

  return { create, retrieve, update, remove, list };
}
