import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOnRecord } from '#server/record/on-record.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { onlyIntent, startTestSite, submitContact, type TestSite } from '#server/testing/test-site.ts';

async function firstNameIn(site: TestSite): Promise<string | undefined> {
  return (await readOnRecord(site, (await onlyIntent(site)).id)).registration?.firstName;
}

const HOUR_MS = 60 * 60 * 1000;
const keyOf = (ms: number) => `${ms.toString(36)}-${'0'.repeat(32)}`;

describe('a registration that is sent again', () => {
  test('R4.5 a repeated submit creates nothing new', async (t) => {
    const site = await startTestSite(t);
    const [first, second] = await Promise.all([submitContact(site.app), submitContact(site.app)]);
    const third = await submitContact(site.app).expect(200);

    const { client_secret } = await onlyIntent(site);
    for (const { status, body } of [first, second, third]) {
      assert.equal(status, 200);
      assert.equal(body.paymentIntentClientSecret, client_secret);
    }
    assert.equal((await site.stripe.customers.list()).data.length, 1);
  });

  test('R4.5 edited details update the same customer and intent', async (t) => {
    const site = await startTestSite(t);
    const { body } = await submitContact(site.app).expect(200);
    const edited = { firstName: 'Wilhelmina', email: 'wilhelmina@example.org' };
    const response = await submitContact(site.app, { ...edited, ...body }).expect(200);

    assert.deepEqual(response.body, body);
    const intent = await onlyIntent(site);
    assert.equal(intent.receipt_email, edited.email);
    assert.equal(await firstNameIn(site), 'Wilhelmina');
    const letters = await site.letterLog.about(intent.id);
    const confirmed = letters.filter(({ kind }) => kind === 'registration-received');
    assert.deepEqual(confirmed.map(({ address }) => address).sort(), [edited.email, contactStep.email]);
    const [customer, ...others] = (await site.stripe.customers.list()).data;
    assert.deepEqual([customer?.name, customer?.email, others], ['Wilhelmina O’Hara', edited.email, []]);
  });

  test('R4.5 a paid registration stays unchanged', async (t) => {
    const site = await startTestSite(t);
    const { body } = await submitContact(site.app).expect(200);
    const { id } = await onlyIntent(site);
    await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await submitContact(site.app, { ...body, firstName: 'Else' }).expect(200, body);
    assert.equal(await firstNameIn(site), contactStep.firstName);
  });

  test('R4.5 the same key with other details gets 409 and no client secret', async (t) => {
    const { app } = await startTestSite(t);
    await submitContact(app).expect(200);
    for (const other of [{ email: 'else@example.org' }, { firstName: 'Else' }, { phoneNumber: '5550199' }]) {
      const response = await submitContact(app, other).expect(409);
      assert.equal(response.body.error.code, 'registration_changed');
      assert.equal(response.text.includes('_secret_'), false);
    }
  });

  for (const [what, key] of [
    ['a current key', '0'.repeat(32)],
    ['a key of a browser that is five hours slow', keyOf(Date.now() - 5 * HOUR_MS)],
    ['a key of a browser that is five hours fast', keyOf(Date.now() + 5 * HOUR_MS)],
    ['a key of 1970', keyOf(0)],
    ['a key of 5138', keyOf(1e14)],
  ] as const) {
    test(`R4.5 a day later, when Stripe has forgotten the key, ${what} still finds its payment`, async (t) => {
      let laterMs = 0;
      const site = await startTestSite(t, { clock: { now: () => Date.now() + laterMs } });
      const { body } = await submitContact(site.app, {}, key).expect(200);
      laterMs = 25 * HOUR_MS;
      await submitContact(site.app, {}, key).expect(200, body);
      const changed = await submitContact(site.app, { firstName: 'Else' }, key).expect(409);
      assert.equal(changed.body.error.code, 'registration_changed');
      const { id } = await onlyIntent(site);
      await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      await submitContact(site.app, {}, key).expect(200, body);
      const paid = await submitContact(site.app, { firstName: 'Else' }, key).expect(409);
      assert.equal(paid.body.error.code, 'already_paid');
      assert.equal((await site.stripe.customers.list()).data.length, 1);
    });
  }

  test('R4.5 a paid registration cannot become somebody else’s, and sends no mail to anybody else', async (t) => {
    const site = await startTestSite(t);
    const { body } = await submitContact(site.app).expect(200);
    const { id } = await onlyIntent(site);
    await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    const other = { ...body, email: 'else@example.org' };
    const response = await submitContact(site.app, other).expect(409);
    assert.equal(response.body.error.code, 'already_paid');
    const jobs = await site.mailQueue.bullQueue.getJobs();
    assert.ok(!jobs.some(({ data }) => JSON.stringify(data).includes('else@example.org')));
  });

  test('R4.5 a client secret that belongs to no payment, or not to this one, gets 409, so that the page starts another one', async (t) => {
    const site = await startTestSite(t);
    await submitContact(site.app).expect(200);
    const { id } = await onlyIntent(site);
    for (const paymentIntentClientSecret of [`${id}_secret_guessed`, 'pi_gone_secret_gone']) {
      const { body } = await submitContact(site.app, { paymentIntentClientSecret }).expect(409);
      assert.equal(body.error.code, 'registration_not_found');
    }
  });

  test('R4.5 details that were edited and then sent with the key alone, from another tab, find the same payment', async (t) => {
    const site = await startTestSite(t);
    const { body } = await submitContact(site.app).expect(200);
    const edited = { phoneNumber: '+1 (555) 555-0199' };
    await submitContact(site.app, { ...edited, ...body }).expect(200, body);
    await submitContact(site.app, edited).expect(200, body);
    await submitContact(site.app).expect(200, body);
    const { registration } = await readOnRecord(site, (await onlyIntent(site)).id);
    assert.equal(registration?.phoneNumber, contactStep.phoneNumber);
    assert.equal((await site.stripe.customers.list()).data.length, 1);
  });
});
