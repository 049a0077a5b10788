import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { TEST_KEYS } from '#scripts/sandbox/test-sandbox.ts';
import { mailJobId } from '#server/mail/job.ts';
import { testMails } from '#server/testing/test-mails.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { submitContact } from '#server/testing/test-visitor.ts';
import { WEBHOOK_PATH } from './webhook-route.ts';

type Site = Awaited<ReturnType<typeof startTestSite>>;

const paidIntent = {
  id: 'pi_paid',
  object: 'payment_intent',
  amount: 72_100,
  amount_received: 72_100,
  metadata: {
    firstName: 'Wilma',
    lastName: 'O’Hara',
    email: 'wilma@example.org',
    phoneNumber: '+1 (555) 555-0142',
    timeZone: 'Europe/Berlin',
    package: 'january_2026_retreat',
  },
};

const welcome = { ...testMails.welcome, paymentIntentId: 'pi_paid' } as const;

function eventOf(type: string, object: object, id = 'evt_1') {
  return JSON.stringify({ id, object: 'event', type, data: { object } });
}

function deliver({ app, stripe }: Site, payload: string, secret = TEST_KEYS.webhookSecret) {
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret });
  return request(app).post(WEBHOOK_PATH).type('json').set('Stripe-Signature', signature).send(payload);
}

async function queuedMails({ mailQueue }: Site) {
  const jobs = await mailQueue.bullQueue.getJobs();
  return jobs.map(({ id, data }) => ({ id, data }));
}

async function registerDeposit(site: Site) {
  await submitContact(site.app).expect(200);
  const { data } = await site.stripe.paymentIntents.list();
  const [intent] = data;
  assert.ok(intent);
  return intent;
}

async function decline({ stripe }: Site, intentId: string): Promise<void> {
  const confirmation = stripe.paymentIntents.confirm(intentId, {
    payment_method: 'pm_card_visa_chargeDeclined',
  });
  await assert.rejects(confirmation, { code: 'card_declined' });
}

describe('POST /webhooks/stripe', () => {
  test('R4.6 a paid deposit owes one welcome with the amount received, however often it is told', async (t) => {
    const site = await startTestSite(t);
    for (let time = 0; time < 3; time += 1) {
      await deliver(site, eventOf('payment_intent.succeeded', paidIntent)).expect(200);
    }
    assert.deepEqual(await queuedMails(site), [
      {
        id: mailJobId(welcome),
        data: welcome,
      },
    ]);
    assert.match(await site.metrics.metrics(), /^deposits_total\{event="paid"\} 3$/m);
  });

  test('R4.6 a signature that does not fit the raw body gets 400 and has no effect', async (t) => {
    const site = await startTestSite(t);
    const payload = eventOf('payment_intent.succeeded', paidIntent);
    await deliver(site, payload, 'whsec_somebody_else').expect(400);
    await request(site.app).post(WEBHOOK_PATH).type('json').send(payload).expect(400);
    await request(site.app).post(WEBHOOK_PATH).expect(400);
    assert.match(site.log.text(), /"level":"warn".*"reason":"No signatures found matching/);
    assert.doesNotMatch(site.log.text(), /"stack"/);
    assert.deepEqual(await queuedMails(site), []);
  });

  test('R4.6 a failed payment is logged by its reason, without the visitor’s details', async (t) => {
    const site = await startTestSite(t);
    const failed = { ...paidIntent, last_payment_error: { code: 'card_declined', message: 'Wilma’s card' } };
    await deliver(site, eventOf('payment_intent.payment_failed', failed)).expect(200);
    assert.match(site.log.text(), /card_declined/);
    assert.doesNotMatch(site.log.text(), /Wilma/);
    assert.deepEqual(await queuedMails(site), []);
  });

  test('R4.6 events of no concern are acknowledged: another kind, or a payment that is not this site’s', async (t) => {
    const site = await startTestSite(t);
    await deliver(site, eventOf('customer.created', { id: 'cus_1', object: 'customer' })).expect(200);
    const { package: _, ...elsewhere } = paidIntent.metadata;
    for (const metadata of [{}, elsewhere, { ...elsewhere, package: 'another_shop' }]) {
      await deliver(site, eventOf('payment_intent.succeeded', { ...paidIntent, metadata })).expect(200);
    }
    assert.deepEqual(await queuedMails(site), []);
  });

  test('R4.6 a paid deposit of this site that cannot be read is an error, not forgotten', async (t) => {
    const site = await startTestSite(t);
    const { email: _, ...metadata } = paidIntent.metadata;
    await deliver(site, eventOf('payment_intent.succeeded', { ...paidIntent, metadata })).expect(500);
    assert.match(site.log.text(), /The metadata of pi_paid lacks the registrant/);
  });

  test('R4.6 an event that is older than five minutes is refused, whoever signed it', async (t) => {
    const { app, stripe } = await startTestSite(t);
    const payload = eventOf('payment_intent.succeeded', paidIntent);
    const nowS = Math.floor(Date.now() / 1000);
    for (const [ageS, status] of [
      [301, 400],
      [290, 200],
    ] as const) {
      const secret = TEST_KEYS.webhookSecret;
      const signature = stripe.webhooks.generateTestHeaderString({
        payload,
        secret,
        timestamp: nowS - ageS,
      });
      const delivery = request(app).post(WEBHOOK_PATH).type('json').set('Stripe-Signature', signature);
      await delivery.send(payload).expect(status);
    }
  });

  test('R4.6 the fifth declined card closes the payment, told late, twice or out of order', async (t) => {
    const site = await startTestSite(t);
    const intent = await registerDeposit(site);
    for (let card = 1; card <= 4; card += 1) await decline(site, intent.id);
    await deliver(site, eventOf('payment_intent.payment_failed', intent)).expect(200);
    await deliver(site, eventOf('payment_intent.payment_failed', intent)).expect(200);
    assert.equal((await site.stripe.paymentIntents.retrieve(intent.id)).status, 'requires_payment_method');

    await decline(site, intent.id);
    await deliver(site, eventOf('payment_intent.payment_failed', intent)).expect(200);
    await deliver(site, eventOf('payment_intent.payment_failed', intent)).expect(200);
    assert.equal((await site.stripe.paymentIntents.retrieve(intent.id)).status, 'canceled');
    assert.equal(site.log.text().split('Payment closed after too many declined cards').length - 1, 1);
    const told = await site.metrics.metrics();
    assert.match(told, /^deposits_total\{event="closed"\} 1$/m);
    assert.match(told, /^deposits_total\{event="declined"\} [2-9]$/m);
  });

  test('R4.6 failed authentications count as well, each once', async (t) => {
    const site = await startTestSite(t);
    const intent = await registerDeposit(site);
    const last_payment_error = { code: 'payment_intent_authentication_failure' };
    const failed = { ...intent, last_payment_error };
    for (let time = 1; time <= 3; time += 1) await decline(site, intent.id);
    for (const id of ['evt_1', 'evt_1', 'evt_2']) {
      const { status } = await site.stripe.paymentIntents.retrieve(intent.id);
      assert.equal(status, 'requires_payment_method');
      await deliver(site, eventOf('payment_intent.payment_failed', failed, id)).expect(200);
    }
    assert.equal((await site.stripe.paymentIntents.retrieve(intent.id)).status, 'canceled');
  });

  test('R4.6 a payment that was made after five declined cards stays paid', async (t) => {
    const site = await startTestSite(t);
    const intent = await registerDeposit(site);
    for (let card = 1; card <= 5; card += 1) await decline(site, intent.id);
    await site.stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    await deliver(site, eventOf('payment_intent.payment_failed', intent)).expect(200);
    assert.equal((await site.stripe.paymentIntents.retrieve(intent.id)).status, 'succeeded');
  });

  test('R4.6 Stripe away while a payment is to be closed: 5xx, so that the event comes again', async (t) => {
    const site = await startTestSite(t);
    const intent = await registerDeposit(site);
    const payload = eventOf('payment_intent.payment_failed', intent);
    await site.sandbox.close();
    await deliver(site, payload).expect(504);
  });

  test('a closed payment is not gone on with: 409 and whom to ask', async (t) => {
    const site = await startTestSite(t);
    const { id, client_secret } = await registerDeposit(site);
    await site.stripe.paymentIntents.cancel(id);
    for (const paymentIntentClientSecret of [client_secret, undefined]) {
      const { status, body } = await submitContact(site.app, { paymentIntentClientSecret });
      assert.equal(status, 409);
      assert.equal(body.error.code, 'payment_closed');
      assert.match(body.error.message, /Please call or write to the retreat office/);
    }
  });

  test('R4.6 Redis away: 503, so that Stripe sends the event again', async (t) => {
    const site = await startTestSite(t, { redisRunning: false });
    await deliver(site, eventOf('payment_intent.succeeded', paidIntent)).expect(503);
  });
});
