import assert from 'node:assert/strict';
import { test } from 'node:test';
import Stripe from 'stripe';
import { startTestSandbox } from './sandbox.ts';

test('a product is created under its own id, retrieved and updated', async (t) => {
  const { stripe } = await startTestSandbox(t);
  const created = await stripe.products.create({
    id: 'shop-spring',
    name: 'Spring',
    metadata: { site: 'shop', note: 'x' },
  });
  assert.deepEqual([created.id, created.name, created.active], ['shop-spring', 'Spring', true]);
  const metadata = { note: '', more: 'y' };
  const updated = await stripe.products.update('shop-spring', { metadata });
  assert.deepEqual(updated.metadata, { site: 'shop', more: 'y' });
  assert.deepEqual(await stripe.products.retrieve('shop-spring'), updated);
  assert.match((await stripe.products.create({ name: 'Autumn' })).id, /^prod_\w{14}$/);
});

test('a product that exists is not created again, and one that does not exist is not found', async (t) => {
  const { stripe } = await startTestSandbox(t);
  await stripe.products.create({ id: 'shop-spring', name: 'Spring' });
  await assert.rejects(stripe.products.create({ id: 'shop-spring', name: 'Other' }), {
    code: 'resource_already_exists',
    param: 'id',
    statusCode: 400,
  });
  assert.equal((await stripe.products.retrieve('shop-spring')).name, 'Spring');
  for (const ask of [stripe.products.retrieve('shop-none'), stripe.products.update('shop-none', {})])
    await assert.rejects(ask, (error) => {
      assert.ok(error instanceof Stripe.errors.StripeInvalidRequestError);
      assert.deepEqual([error.code, error.statusCode], ['resource_missing', 404]);
      return true;
    });
  await assert.rejects(stripe.products.create({ id: 'shop-nameless', name: '' }), { param: 'name' });
});
