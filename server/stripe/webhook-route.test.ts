import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Stripe from 'stripe';
import request from 'supertest';
import { owedLetter } from '#server/letters/letter-kind.ts';
import { findDeposit, findRegistration, findRow, readActs } from '#server/registration/registration.ts';
import { textOf } from '#server/testing/test-database.ts';
import { assertSaid } from '#server/testing/test-letters.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startTestSite, submitContact, type TestSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { registrationOf } from './payment-at-stripe.ts';
import { recoverLost } from './record-payments.ts';
import { WEBHOOK_PATH } from './webhook-route.ts';

async function registerDeposit(site: TestSite) {
  await submitContact(site.app, { timeZone: 'Europe/Berlin' }).expect(200);
  const { data } = await site.stripe.paymentIntents.list({ limit: 1 });
  const [intent] = data;
  assert.ok(intent);
  return intent;
}

/** A deposit that its visitor has paid, after changes that somebody with the account's keys could make. */
async function payDeposit(site: TestSite, changes: Stripe.PaymentIntentUpdateParams = {}) {
  const { id } = await registerDeposit(site);
  if (Object.keys(changes).length > 0) await site.stripe.paymentIntents.update(id, changes);
  const intent = await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  await site.mailQueue.bullQueue.obliterate();
  return intent;
}

/** A payment of the account that this site did not make. */
async function payForeign({ stripe }: TestSite, parameters: Partial<Stripe.PaymentIntentCreateParams>) {
  const intent = await stripe.paymentIntents.create({ amount: 72_100, currency: 'usd', ...parameters });
  return stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
}

describe('POST /webhooks/stripe', () => {
  test('R4.6 R5.3 a paid deposit queues one welcome with the amount received and one notice to the office, however often the event comes', async (t) => {
    const site = await startTestSite(t);
    const paid = await payDeposit(site);
    for (let time = 0; time < 3; time += 1) await site.tell('payment_intent.succeeded', paid).expect(200);
    const id = registrationOf(paid);
    const queued = await site.lettersQueued();
    assert.deepEqual(
      queued.map((one) => one.id),
      [owedLetter('office-paid', id, '').id, owedLetter('welcome', id, contactStep.email).id],
    );
    assertSaid(queued[1]?.letter ?? assert.fail(), ['$721']);
    assert.match(await site.metrics.metrics(), /^deposits_total\{event="paid"\} 3$/m);
  });

  test('R4.6 a signature that does not match the raw body, or is older than five minutes, gets 400 and has no effect', async (t) => {
    const site = await startTestSite(t);
    const paid = await payDeposit(site);
    await site.tell('payment_intent.succeeded', paid, { secret: 'whsec_somebody_else' }).expect(400);
    const event = { id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', data: { object: paid } };
    await request(site.app).post(WEBHOOK_PATH).send(event).expect(400);
    await request(site.app).post(WEBHOOK_PATH).expect(400);
    const nowS = Math.floor(Date.now() / 1000);
    await site.tell('payment_intent.succeeded', paid, { timestamp: nowS - 301 }).expect(400);
    assert.match(site.log.text(), /"level":"warn".*"reason":"No signatures found matching/);
    assert.doesNotMatch(site.log.text(), /"stack"/);
    assert.deepEqual(await site.queued(), []);
  });

  test('R4.6 a failed payment is logged with its reason, without the visitor’s details', async (t) => {
    const site = await startTestSite(t);
    const error = { code: 'card_declined', message: 'Wilma’s card' };
    const failed = { ...(await registerDeposit(site)), last_payment_error: error };
    await site.mailQueue.bullQueue.obliterate();
    await site.tell('payment_intent.payment_failed', failed).expect(200);
    assert.match(site.log.text(), /card_declined/);
    assert.doesNotMatch(site.log.text(), /Wilma/);
    assert.deepEqual(await site.queued(), []);
  });

  test('R4.6 irrelevant events are acknowledged: of another kind, or about a payment that is not this site’s', async (t) => {
    const site = await startTestSite(t);
    await site.tell('customer.created', { id: 'cus_1', object: 'customer' }).expect(200);
    const { package: _, ...elsewhere } = contactStep;
    for (const metadata of [
      {},
      elsewhere,
      { ...elsewhere, package: 'another_shop' },
      { ...contactStep, site: 'another-site', kind: 'deposit' },
    ]) {
      const intent = await payForeign(site, { metadata });
      await site.tell('payment_intent.succeeded', intent).expect(200);
      const refund = await site.stripe.refunds.create({ payment_intent: intent.id });
      await site.tell('refund.created', refund).expect(200);
      assert.ok(!(await textOf(site.database)).includes(intent.id));
    }
    assert.deepEqual(await site.queued(), []);
  });

  test('R4.6 a deposit that was paid with another amount or currency is held and logged as an error, and nobody is welcomed', async (t) => {
    for (const changes of [{ amount: 100 }, { currency: 'eur' }, { metadata: { amount: '' } }]) {
      const site = await startTestSite(t);
      await site.tell('payment_intent.succeeded', await payDeposit(site, changes)).expect(200);
      assert.deepEqual(await site.queued(), []);
      assert.match(await site.metrics.metrics(), /^deposits_total\{event="held"\} 1$/m);
      assert.match(site.log.text(), /"level":"error".*A payment was made with another amount or currency/);
    }
  });

  test('R4.6 a payment of this site for another edition or of another kind is an error, never silently acknowledged', async (t) => {
    const site = await startTestSite(t);
    const { id } = await payDeposit(site);
    for (const metadata of [
      { package: 'june_2031_retreat', edition: 'june-2031' },
      { edition: 'june-2031', package: edition.facts.retreatPackage.id },
      { edition: edition.facts.id, kind: 'gift' },
    ]) {
      const intent = await site.stripe.paymentIntents.update(id, { metadata });
      await site.tell('payment_intent.succeeded', intent).expect(500);
      assert.match(site.log.text(), new RegExp(`${id} is a payment of this site for .*, unknown here`));
    }
    assert.deepEqual(await site.queued(), []);
  });

  test('R4.6 a paid deposit whose registration was lost is recorded from its customer, or else an error', async (t) => {
    const site = await startTestSite(t);
    const lose = () =>
      site.database.write(async (transaction) => {
        for (const table of [
          'payouts',
          'entries',
          'installments',
          'registrationIndex',
          'registrations',
        ] as const)
          await transaction.deleteFrom(table).execute();
      });
    const intent = await payDeposit(site);
    await lose();
    const id = registrationOf(intent);
    // A worker finds it lost at the same time.
    const found = await site.stripe.paymentIntents.retrieve(intent.id, { expand: ['customer'] });
    await Promise.all([
      site.tell('payment_intent.succeeded', intent).expect(200),
      recoverLost(site.database, [found]),
    ]);
    assert.ok((await site.queued()).includes('welcome'));
    const acts = await site.database.read((transaction) => readActs(transaction, id));
    assert.equal(acts.filter(({ kind }) => kind === 'recovered').length, 1);
    const { firstName, lastName, email } = contactStep;
    const { registrant } = (await findRegistration(site.payments, id)) ?? assert.fail();
    assert.deepEqual(registrant, { firstName, lastName, email, phoneNumber: '+15555550142', timeZone: '' });
    await lose();
    const gone = { name: '', email: '', phone: '' };
    await site.stripe.customers.update(String(intent.customer), gone);
    await site.tell('payment_intent.succeeded', intent).expect(500);
    assert.ok(site.log.text().includes(`${intent.id} is paid, and its registrant is not on record`));
  });

  test('R4.6 the fifth declined card closes the payment, even if the events come late, twice or out of order', async (t) => {
    const site = await startTestSite(t);
    const intent = await registerDeposit(site);
    const tell = (id: string) => site.tell('payment_intent.payment_failed', intent, { id }).expect(200);
    for (const id of ['evt_2', 'evt_1', 'evt_2', 'evt_4', 'evt_3', 'evt_1']) await tell(id);
    assert.equal((await site.stripe.paymentIntents.retrieve(intent.id)).status, 'requires_payment_method');
    for (const id of ['evt_5', 'evt_5']) await tell(id);
    assert.equal((await site.stripe.paymentIntents.retrieve(intent.id)).status, 'canceled');
    assert.equal(site.log.text().split('Payment closed after too many declined cards').length - 1, 1);
    const told = await site.metrics.metrics();
    assert.match(told, /^deposits_total\{event="closed"\} 1$/m);
    assert.match(told, /^deposits_total\{event="declined"\} [2-9]$/m);
  });

  test('a payment that was closed after too many declined cards cannot be continued: 409, and whom to ask', async (t) => {
    const site = await startTestSite(t);
    const { id, client_secret } = await registerDeposit(site);
    await site.stripe.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' });
    for (const paymentIntentClientSecret of [client_secret, undefined]) {
      const details = { timeZone: 'Europe/Berlin', paymentIntentClientSecret };
      const { status, body } = await submitContact(site.app, details);
      assert.deepEqual([status, body.error.code], [409, 'payment_closed']);
      assert.match(body.error.message, /Please call or write to the retreat office/);
    }
  });

  test('R4.6 Redis away: 503 once the payment is on record, so that Stripe sends the event again', async (t) => {
    const site = await startTestSite(t);
    const paid = await payDeposit(site);
    const onRecord = () =>
      site.database.read(async (transaction) => {
        const id = registrationOf(paid);
        return {
          payment: (await findDeposit(transaction, id))?.status,
          place: (await findRow(transaction, id))?.standing,
          eventsTaken: (await transaction.selectFrom('stripeEvents').selectAll().execute()).length,
        };
      });
    assert.deepEqual(await onRecord(), { payment: 'open', place: 'open', eventsTaken: 0 });
    await site.redis.stop();
    await site.tell('payment_intent.succeeded', paid).expect(503);
    assert.deepEqual(await onRecord(), { payment: 'paid', place: 'taken', eventsTaken: 0 });
  });
});
