import * as v from 'valibot';
import { type Account, type ApiCall, type Endpoint, newObjectId } from './account.ts';
import { ParameterError, resourceMissing } from './answer.ts';
import type { Product } from './objects.ts';
import { boolean, clearable, mergeMetadata, metadata, parseParameters, text } from './parameters.ts';

const updateParameters = v.strictObject({
  active: v.exactOptional(boolean),
  description: v.exactOptional(clearable(text(40_000))),
  metadata: v.exactOptional(metadata),
  name: v.exactOptional(text(250)),
});

const createParameters = v.strictObject({
  ...updateParameters.entries,
  id: v.exactOptional(text(250)),
  name: text(250),
});

/** The operations on products, whose ids the caller may choose. https://docs.stripe.com/api/products */
export function productEndpoints(account: Account) {
  const find = (call: ApiCall): Product => {
    const product = account.products.get(call.id);
    if (!product) throw resourceMissing('product', call.id);
    return product;
  };

  const create: Endpoint = (call) => {
    const {
      id = newObjectId('prod'),
      metadata: pairs,
      ...fields
    } = parseParameters(createParameters, call.parameters);
    if (account.products.has(id)) throw alreadyExists();
    const seconds = account.nowSeconds();
    const product: Product = {
      id,
      object: 'product',
      active: true,
      created: seconds,
      description: null,
      livemode: false,
      updated: seconds,
      ...fields,
      metadata: mergeMetadata({}, pairs),
    };
    account.products.set(id, product);
    account.publish('product.created', product, call);
    return product;
  };

  const update: Endpoint = (call) => {
    const product = find(call);
    const { metadata: pairs, ...fields } = parseParameters(updateParameters, call.parameters);
    const metadata = mergeMetadata(product.metadata, pairs);
    const updated = { ...product, ...fields, metadata, updated: account.nowSeconds() };
    account.products.set(updated.id, updated);
    account.publish('product.updated', updated, call);
    return updated;
  };

  const retrieve: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    return find(call);
  };

  return { create, retrieve, update };
}

/** https://docs.stripe.com/error-codes#resource-already-exists */
function alreadyExists(): ParameterError {
  return new ParameterError('Product already exists.', { param: 'id', code: 'resource_already_exists' });
}
