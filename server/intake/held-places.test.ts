import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { findRegistration, readActs } from '#server/registration/registration.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { occupy, openTestDatabase } from '#server/testing/test-database.ts';
import { readings } from '#server/testing/test-letters.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { onlyIntent, startSiteWithPlaces, startTestSite, submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const newKey = (): string => randomBytes(16).toString('hex');

/** A site where Wilma has paid. */
async function startWithPlace(t: TestContext) {
  const reads: string[] = [];
  const site = await startTestSite(t, {
    env: { RATE_LIMIT_PER_ADDRESS: '100' },
    intercept: ({ method, path }) => void (method === 'GET' && reads.push(path)),
  });
  const { stripe, tell } = site;
  const submit = (changes: object, key = newKey()) => submitContact(site.app, changes, key);
  const { body } = await submit({}).expect(200);
  const [id = ''] = body.paymentIntentClientSecret.split('_secret_');
  const paid = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  await tell('payment_intent.succeeded', paid, { id: `evt_${id}` }).expect(200);
  return { ...site, reads, submit };
}

const AGAIN = { email: 'Wilma@Example.org', firstName: ' WILMA ', lastName: "o'hara" };

describe('nobody learns from the contact step who is registered', () => {
  const shapeOf = ({ status, body }: { status: number; body: object }) => [status, Object.keys(body).sort()];

  test('the answer for her name and address is the same as for a new address, with no read at Stripe; her letter says it', async (t) => {
    const { submit, mailQueue, lettersQueued, reads } = await startWithPlace(t);
    await mailQueue.bullQueue.obliterate();
    reads.length = 0;
    const [again, fresh] = [await submit(AGAIN), await submit({ email: 'fresh@example.org' })];
    assert.deepEqual(shapeOf(again), shapeOf(fresh));
    assert.deepEqual(shapeOf(again), [200, ['amountCents', 'confirmationMail', 'paymentIntentClientSecret']]);
    assert.deepEqual(reads, []);
    const received = (await lettersQueued()).flatMap(({ letter }) =>
      letter.kind === 'registration-received'
        ? [[letter.address, readings(letter)[0].includes('already a paid place')]]
        : [],
    );
    assert.deepEqual(received.toSorted(), [
      ['Wilma@Example.org', true],
      ['fresh@example.org', false],
    ]);
  });

  test('an edit to her name and address is answered like any other', async (t) => {
    const { submit } = await startWithPlace(t);
    const { body } = await submit({ firstName: 'Else', email: 'else@example.org' }).expect(200);
    const { paymentIntentClientSecret } = body;
    const edits = [];
    for (const changes of [AGAIN, { firstName: 'Elsa', email: 'elsa@example.org' }])
      edits.push(await submit({ ...changes, paymentIntentClientSecret }));
    assert.deepEqual(edits.map(shapeOf)[0], edits.map(shapeOf)[1]);
  });
});

test('R4.5 an edit in the moment of her payment leaves the registration as it was paid', async (t) => {
  let pay: (() => Promise<unknown>) | undefined;
  const site = await startTestSite(t, {
    intercept: async ({ method, path }) => {
      if (method === 'POST' && /^\/v1\/payment_intents\/\w+$/.test(path)) await pay?.();
      return undefined;
    },
  });
  const { body } = await submitContact(site.app, {}, newKey()).expect(200);
  const { paymentIntentClientSecret } = body;
  const [id = ''] = paymentIntentClientSecret.split('_secret_');
  const moved = { email: 'moved@example.org', paymentIntentClientSecret };
  await site.stripe.paymentIntents.update(id, { amount: 70_000, metadata: { amount: '70000' } });
  pay = () => {
    pay = undefined;
    return site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  };
  const edit = await submitContact(site.app, moved);
  assert.deepEqual([edit.status, edit.body.error?.code], [409, 'already_paid']);
  const record = await findRegistration(site, registrationOf(await onlyIntent(site)));
  assert.equal(record?.registrant.email, contactStep.email);
});

/** A site with a number of places, and a clock that the test moves. */
async function startWithClock(t: TestContext, places: number) {
  let at = Date.parse(edition.tryOutFrom);
  const site = await startSiteWithPlaces(t, places, {
    changes: { now: () => new Date(at) },
    clock: { now: () => at },
  });
  return {
    ...site,
    /** Lets a time pass in which nobody pays. */
    halfAnHourLater() {
      at += 30 * 60_000;
    },
  };
}

describe('a place is held while somebody pays', () => {
  test('a visitor who finds none left is refused before anything is created at Stripe', async (t) => {
    const { visit, stripe } = await startSiteWithPlaces(t, 1);
    assert.equal((await visit('anna').submit()).status, 200);
    const { status, body } = await visit('berta').submit();
    assert.equal(status, 409);
    assert.equal(body.error.code, 'retreat_full');
    assert.equal((await stripe.customers.list()).data.length, 1);
  });

  test('a visitor who holds the last one can submit, edit, pay and come back as often as she wants', async (t) => {
    const { visit } = await startSiteWithPlaces(t, 1);
    const anna = visit('anna');
    const edit = () => anna.edit({ lastName: 'Edited' });
    for (const press of [anna.submit, anna.submit, edit]) assert.equal((await press()).status, 200);
    for (const _again of [1, 2]) await anna.consent().expect(204);
    await anna.pay();
    for (const press of [anna.tell, edit]) assert.equal((await press()).status, 200);
    assert.equal((await visit('berta').submit()).status, 409);
  });

  test('her consent renews it; if others took it meanwhile she learns that before her card is charged', async (t) => {
    const { visit, halfAnHourLater, stripe, ...site } = await startWithClock(t, 1);
    const [anna, berta] = [visit('anna'), visit('berta')];
    await anna.submit();
    halfAnHourLater();
    await anna.consent().expect(204);
    assert.equal((await berta.submit()).status, 409);
    halfAnHourLater();
    assert.equal((await berta.submit()).status, 200);
    assert.equal((await stripe.paymentIntents.retrieve(anna.payment())).status, 'canceled');
    const { body } = await anna.consent().expect(409);
    assert.equal(body.error.code, 'payment_canceled');
    assert.match(body.error.message, /you have not been charged/);
    assert.equal((await visit('anna').submit()).body.error.code, 'retreat_full');
    assert.deepEqual(await site.database.read((transaction) => readActs(transaction, berta.id())), []);
  });
});

test('while the register is locked a visitor is asked to come again, and nothing is made at Stripe', async (t) => {
  const { visit, stripe, databaseUrl, log } = await startSiteWithPlaces(t, 1);
  const unlock = await occupy(t, openTestDatabase(t, databaseUrl));
  const anna = visit('anna');
  const answer = await anna.submit();
  assert.deepEqual([answer.status, answer.body.error.code], [503, 'register_away']);
  assert.equal(answer.get('retry-after'), '5');
  assert.match(answer.body.error.message, /Nothing was charged/);
  assert.match(log.text(), /database is locked/);
  await unlock();
  assert.deepEqual((await stripe.customers.list()).data, []);
  assert.equal((await anna.submit()).status, 200);
});
