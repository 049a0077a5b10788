import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test } from 'node:test';
import request from 'supertest';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

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

  test('finds the payment also once it is paid, and makes another one for somebody else', async (t) => {
    const { app, stripe, made } = await startClockedSite(t);
    const { body } = await call(app).expect(200);
    const [id = ''] = body.paymentIntentClientSecret.split('_secret_');
    await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    assert.deepEqual((await call(app).expect(200)).body, body);
    assert.deepEqual(await made(), [1, 1]);
    const another = await call(app, { somebodyElse: true }).expect(200);
    assert.notEqual(another.body.paymentIntentClientSecret, body.paymentIntentClientSecret);
    assert.deepEqual(await made(), [2, 2]);
  });
});
