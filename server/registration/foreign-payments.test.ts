import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contactStep } from '#server/testing/test-registrations.ts';
import { onlyIntent, startTestSite, submitContact } from '#server/testing/test-site.ts';

describe('R4.5 payments that this site did not make', () => {
  for (const [what, parameters] of [
    ['another product’s', { amount: 100, currency: 'usd', metadata: { product: 'mug' } }],
    ['another site’s', { amount: 72_100, currency: 'usd', metadata: { ...contactStep, site: 'another' } }],
    ['one in another currency', { amount: 72_100, currency: 'eur', metadata: contactStep }],
    ['one of another amount', { amount: 100, currency: 'usd', metadata: contactStep }],
    [
      'one whose amount was changed since it was made',
      { amount: 100, currency: 'usd', metadata: { ...contactStep, site: 'online-retreat', amount: '72100' } },
    ],
  ] as const) {
    test(`the client secret of ${what} opens nothing: no update, no letter, no cancellation`, async (t) => {
      const site = await startTestSite(t);
      const somebody = { name: 'Somebody', email: 'somebody@example.org' };
      const customer = await site.stripe.customers.create(somebody);
      const before = await site.stripe.paymentIntents.create({ ...parameters, customer: customer.id });
      const edit = { paymentIntentClientSecret: before.client_secret };
      const { body } = await submitContact(site.app, edit).expect(409);
      assert.equal(body.error.code, 'registration_not_found');

      const { payments } = site;
      const at = new Date();
      assert.equal(await payments.correctAddress(before.id, 'else@example.org', 'Anna', at), undefined);
      assert.equal(await payments.closeUnpaid(before.id), false);
      for (let time = 0; time < 6; time += 1) {
        const failure = { at, code: 'payment_intent_authentication_failure' };
        await payments.limitAttempts({ paymentIntentId: before.id, eventId: `evt_${time}`, ...failure });
      }
      const { lastResponse: _, ...after } = await site.stripe.paymentIntents.retrieve(before.id);
      const { lastResponse: __, ...made } = before;
      assert.deepEqual(after, made);
      assert.equal((await site.stripe.customers.retrieve(customer.id)).id, customer.id);
      const { data } = await site.stripe.customers.list({ email: 'somebody@example.org' });
      assert.equal(data[0]?.name, 'Somebody');
      assert.equal(await site.mailQueue.bullQueue.count(), 0);
    });
  }

  test('a customer’s other payments do not count as her deposit', async (t) => {
    const site = await startTestSite(t);
    const { body } = await submitContact(site.app).expect(200);
    const { customer } = await onlyIntent(site);
    await site.stripe.paymentIntents.create({ amount: 5_000, currency: 'usd', customer: String(customer) });
    await submitContact(site.app).expect(200, body);
  });
});

describe('R4.5 R8 the price of the day', () => {
  test('an edit updates amount and description, and the answer contains the amount', async (t) => {
    const site = await startTestSite(t);
    const { body } = await submitContact(site.app).expect(200);
    const { id } = await onlyIntent(site);
    const former = { amount: 70_000, description: 'Last year’s', metadata: { amount: '70000' } };
    await site.stripe.paymentIntents.update(id, former);
    const { paymentIntentClientSecret } = body;
    const changes = { firstName: 'Else', paymentIntentClientSecret };
    const edited = await submitContact(site.app, changes).expect(200);
    assert.equal(edited.body.amountCents, 72_100);
    const { amount, description, metadata } = await onlyIntent(site);
    assert.equal(description, 'January 2026 Retreat Deposit');
    assert.deepEqual([amount, metadata.amount], [72_100, '72100']);
  });

  test('a paid registration keeps the paid amount, and the answer contains it', async (t) => {
    const site = await startTestSite(t);
    const { body } = await submitContact(site.app).expect(200);
    const { id } = await onlyIntent(site);
    await site.stripe.paymentIntents.update(id, { amount: 70_000, metadata: { amount: '70000' } });
    await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    const { paymentIntentClientSecret } = body;
    const again = await submitContact(site.app, { paymentIntentClientSecret }).expect(200);
    assert.equal(again.body.amountCents, 70_000);
  });
});
