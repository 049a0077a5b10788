import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { TEST_KEYS } from '#scripts/sandbox/test-sandbox.ts';
import { mailJobId } from '#server/mail/job.ts';
import { startTestSite } from '#server/testing/test-site.ts';
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
    package: 'january_2026_retreat',
  },
};

const welcome = {
  kind: 'welcome',
  paymentIntentId: 'pi_paid',
  firstName: 'Wilma',
  email: 'wilma@example.org',
  amountCents: 72_100,
} as const;

function eventOf(type: string, object: object) {
  return JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
}

function deliver({ app, stripe }: Site, payload: string, secret = TEST_KEYS.webhookSecret) {
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret });
  return request(app).post(WEBHOOK_PATH).type('json').set('Stripe-Signature', signature).send(payload);
}

async function queuedMails({ mailQueue }: Site) {
  const jobs = await mailQueue.bullQueue.getJobs();
  return jobs.map(({ id, data }) => ({ id, data }));
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
  });

  test('R4.6 a signature that does not fit the raw body gets 400 and has no effect', async (t) => {
    const site = await startTestSite(t);
    const payload = eventOf('payment_intent.succeeded', paidIntent);
    await deliver(site, payload, 'whsec_somebody_else').expect(400);
    await request(site.app).post(WEBHOOK_PATH).type('json').send(payload).expect(400);
    await request(site.app).post(WEBHOOK_PATH).expect(400);
    assert.match(site.log.text(), /"level":"warn".*No signatures found matching/);
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

  test('R4.6 Redis away: 503, so that Stripe sends the event again', async (t) => {
    const site = await startTestSite(t, { redisRunning: false });
    await deliver(site, eventOf('payment_intent.succeeded', paidIntent)).expect(503);
  });
});
