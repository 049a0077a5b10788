import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test } from 'node:test';
import request from 'supertest';
import { findRegistration } from '#server/registration/registration.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { onlyIntent, startTestSite, submitContact, type TestSite } from '#server/testing/test-site.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

async function firstNameIn(site: TestSite): Promise<string | undefined> {
  return (await findRegistration(site, registrationOf(await onlyIntent(site))))?.registrant.firstName;
}

const HOUR_MS = 60 * 60 * 1000;

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
    const letters = await site.letterLog.about(registrationOf(intent));
    const confirmed = letters.filter(({ kind }) => kind === 'registration-received');
    assert.deepEqual(confirmed.map(({ address }) => address).sort(), [edited.email, contactStep.email]);
    const [customer, ...others] = (await site.stripe.customers.list()).data;
    assert.deepEqual([customer?.name, customer?.email, others], ['Wilhelmina O’Hara', edited.email, []]);
  });

  test('R4.5 a paid registration stays unchanged, and sends no mail to anybody else', async (t) => {
    const site = await startTestSite(t);
    const { body } = await submitContact(site.app).expect(200);
    const { id } = await onlyIntent(site);
    await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await submitContact(site.app, { ...body, firstName: 'Else' }).expect(200, body);
    const elses = await submitContact(site.app, { ...body, email: 'else@example.org' }).expect(409);
    assert.equal(elses.body.error.code, 'already_paid');
    assert.equal(await firstNameIn(site), contactStep.firstName);
    const jobs = await site.mailQueue.bullQueue.getJobs();
    assert.ok(!jobs.some(({ data }) => JSON.stringify(data).includes('else@example.org')));
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

  test('R4.5 a day later, when Stripe has forgotten the key, it still finds its payment', async (t) => {
    const key = '0'.repeat(32);
    let laterMs = 0;
    const site = await startTestSite(t, { clock: { now: () => Date.now() + laterMs } });
    const { body } = await submitContact(site.app, {}, key).expect(200);
    laterMs = 25 * HOUR_MS;
    await submitContact(site.app, {}, key).expect(200, body);
    const changed = await submitContact(site.app, { firstName: 'Else' }, key).expect(409);
    assert.equal(changed.body.error.code, 'registration_changed');
    const intent = await onlyIntent(site);
    await site.stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    await submitContact(site.app, {}, key).expect(200, body);
    await site.sync(registrationOf(intent));
    const paid = await submitContact(site.app, { firstName: 'Else' }, key).expect(409);
    assert.equal(paid.body.error.code, 'already_paid');
    assert.equal((await site.stripe.customers.list()).data.length, 1);
  });
});

test('R4.5 the client secret of a payment that this site did not make opens nothing: no update, no letter, no cancellation', async (t) => {
  const site = await startTestSite(t);
  const customer = await site.stripe.customers.create({ name: 'Somebody', email: 'somebody@example.org' });
  for (const [index, parameters] of [
    { amount: 100, currency: 'usd', metadata: { product: 'mug' } },
    { amount: 72_100, currency: 'usd', metadata: { ...contactStep, site: 'another' } },
    { amount: 72_100, currency: 'eur', metadata: contactStep },
    { amount: 100, currency: 'usd', metadata: contactStep },
    // Its amount was changed since it was made.
    { amount: 100, currency: 'usd', metadata: { ...contactStep, site: 'online-retreat', amount: '72100' } },
  ].entries()) {
    const before = await site.stripe.paymentIntents.create({ ...parameters, customer: customer.id });
    const edit = { paymentIntentClientSecret: before.client_secret };
    const { body } = await submitContact(site.app, edit).expect(409);
    assert.equal(body.error.code, 'registration_not_found');
    for (let time = 0; time < 6; time += 1)
      await site.tell('payment_intent.payment_failed', before, { id: `evt_${index}_${time}` }).expect(200);
    const { lastResponse: _, ...after } = await site.stripe.paymentIntents.retrieve(before.id);
    const { lastResponse: __, ...made } = before;
    assert.deepEqual(after, made);
  }
  const { data } = await site.stripe.customers.list({ email: 'somebody@example.org' });
  assert.deepEqual(
    data.map(({ id, name }) => [id, name]),
    [[customer.id, 'Somebody']],
  );
  assert.equal(await site.mailQueue.bullQueue.count(), 0);
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
});

/** The call as in the specification, which names no header. */
function call(app: RequestListener, changes: object = {}, address = '192.0.2.1') {
  return request(app)
    .post(CREATE_PAYMENT_PATH)
    .set('X-Forwarded-For', address)
    .send({ ...contactStep, ...changes });
}

const BEHIND_PROXY = { TRUST_PROXY: '1' };
const MINUTE_MS = 60_000;

/** A site whose time can be set. */
async function startClockedSite(t: Parameters<typeof startTestSite>[0]) {
  let laterMs = 0;
  const start = Math.ceil(Date.now() / (10 * MINUTE_MS)) * 10 * MINUTE_MS;
  const now = (): Date => new Date(start + laterMs);
  const site = await startTestSite(t, { env: BEHIND_PROXY, changes: { now } });
  const made = async () => {
    const { data: customers } = await site.stripe.customers.list();
    const { data: intents } = await site.stripe.paymentIntents.list();
    return [customers.length, intents.length];
  };
  const goOn = (minutes: number): void => {
    laterMs += minutes * MINUTE_MS;
  };
  return { ...site, made, goOn };
}

describe('R4.1 R4.5 the call as specified, without an Idempotency-Key', () => {
  test('makes one customer and one payment, however often it is repeated within ten minutes', async (t) => {
    const { app, made, goOn } = await startClockedSite(t);
    goOn(5);
    const [first, second] = await Promise.all([call(app).expect(200), call(app).expect(200)]);
    goOn(9);
    const third = await call(app, { email: contactStep.email.toUpperCase() }).expect(200);
    for (const { body } of [second, third]) {
      assert.equal(body.paymentIntentClientSecret, first.body.paymentIntentClientSecret);
    }
    assert.deepEqual(await made(), [1, 1]);
  });

  test('is another registration much later, or with other details', async (t) => {
    const { app, made, goOn } = await startClockedSite(t);
    await call(app).expect(200);
    await call(app, { firstName: 'Else' }).expect(200);
    assert.deepEqual(await made(), [2, 2]);
    goOn(21);
    await call(app).expect(200);
    assert.deepEqual(await made(), [3, 3]);
  });

  test('does not give a stranger’s client secret to somebody who knows her details', async (t) => {
    const { app, made } = await startClockedSite(t);
    const { body: hers } = await call(app).expect(200);
    const { body: strangers } = await call(app, {}, '198.51.100.7').expect(200);
    assert.notEqual(strangers.paymentIntentClientSecret, hers.paymentIntentClientSecret);
    assert.deepEqual(await made(), [2, 2]);
  });
});
