import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { readOnRecord } from '#server/record/on-record.ts';
import { recordAct } from '#server/testing/test-acts.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { contactStep, submitContact } from '#server/testing/test-visitor.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

const newKey = (): string => randomBytes(16).toString('hex');

/** A site where Wilma has paid. */
async function startWithPlace(t: TestContext) {
  const site = await startTestSite(t, { env: { RATE_LIMIT_PER_ADDRESS: '100' } });
  const { body } = await submitContact(site.app, {}, newKey()).expect(200);
  const [id = ''] = body.paymentIntentClientSecret.split('_secret_');
  await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  const submit = (changes: object) => submitContact(site.app, changes, newKey());
  const count = async () => (await site.stripe.paymentIntents.list()).data.length;
  return { ...site, submit, count };
}

const AGAIN = { email: 'Wilma@Example.org', firstName: ' WILMA ', lastName: "o'hara" };

describe('R4.5 somebody who has paid already', () => {
  test('is asked, from another browser and with her e-mail in another case, and nothing is created', async (t) => {
    const { submit, count } = await startWithPlace(t);
    const { body } = await submit(AGAIN).expect(409);
    assert.equal(body.error.code, 'registered_before');
    assert.match(body.error.message, /is this place for somebody else\?$/);
    assert.equal(await count(), 1);
  });

  test('is asked, with the domain of her address in its own script or in the ASCII form', async (t) => {
    const { submit, stripe } = await startWithPlace(t);
    const { body } = await submit({ email: 'anna@bücher.example' }).expect(200);
    const [id = ''] = body.paymentIntentClientSecret.split('_secret_');
    const paid = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    assert.equal(paid.receipt_email, 'anna@xn--bcher-kva.example');
    for (const email of ['Anna@BÜCHER.example', 'anna@xn--bcher-kva.example'])
      assert.equal((await submit({ email }).expect(409)).body.error.code, 'registered_before');
  });

  test('registers somebody else of that name when she says so, and is not asked again when she edits', async (t) => {
    const { submit, count } = await startWithPlace(t);
    const { body } = await submit({ ...AGAIN, somebodyElse: true }).expect(200);
    const { paymentIntentClientSecret } = body;
    await submit({ ...AGAIN, phoneNumber: '5550199', paymentIntentClientSecret }).expect(200);
    assert.equal(await count(), 2);
  });

  test('without a key of her browser finds the one that somebody else of that name has just paid', async (t) => {
    const { app, stripe, count } = await startWithPlace(t);
    const submit = () =>
      request(app)
        .post(CREATE_PAYMENT_PATH)
        .send({ ...contactStep, ...AGAIN, somebodyElse: true })
        .expect(200);
    const { body } = await submit();
    const [id = ''] = body.paymentIntentClientSecret.split('_secret_');
    await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    assert.deepEqual((await submit()).body, body);
    assert.equal(await count(), 2);
  });

  test('is asked again when she edits to somebody else who has paid', async (t) => {
    const { submit, app, stripe } = await startWithPlace(t);
    const other = { firstName: 'Berta', email: 'berta@example.org' };
    const { body: paid } = await submit(other).expect(200);
    const [id = ''] = paid.paymentIntentClientSecret.split('_secret_');
    await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    const { body } = await submit({ ...AGAIN, somebodyElse: true }).expect(200);
    const { paymentIntentClientSecret } = body;
    const edited = await submitContact(app, { ...other, paymentIntentClientSecret }).expect(409);
    assert.equal(edited.body.error.code, 'registered_before');
  });

  test('is asked until her cancellation is carried out, and can then register again', async (t) => {
    const { submit, stripe, database } = await startWithPlace(t);
    const { data } = await stripe.paymentIntents.list();
    const id = data[0]?.id ?? assert.fail();
    const at = new Date();
    await recordAct(database, id, 'cancel', { at, writtenAt: at });
    await submit(AGAIN).expect(409);
    await recordAct(database, id, 'cancelled', { at, cents: 0, checkCents: 0 });
    await submit(AGAIN).expect(200);
  });

  test('is found among many unpaid registrations with her address', async (t) => {
    const { submit } = await startWithPlace(t);
    for (let time = 0; time < 12; time += 1) await submit({ firstName: `Begun ${time}` }).expect(200);
    await submit(AGAIN).expect(409);
  });

  test('is found even if an edit came at the moment of her payment', async (t) => {
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
    await submitContact(site.app, AGAIN, newKey()).expect(409);
  });

  test('cannot get a second registration by an edit either', async (t) => {
    const { submit } = await startWithPlace(t);
    const { body } = await submit({ firstName: 'Else', email: 'else@example.org' }).expect(200);
    const { paymentIntentClientSecret } = body;
    const edited = await submit({ ...AGAIN, paymentIntentClientSecret }).expect(409);
    assert.equal(edited.body.error.code, 'registered_before');
  });

  test('under another name is told nothing on the page, but in the letter to that address', async (t) => {
    const { submit, mailQueue, lettersQueued } = await startWithPlace(t);
    await mailQueue.bullQueue.obliterate();
    const { body } = await submit({ firstName: 'Else' }).expect(200);
    assert.deepEqual(Object.keys(body).sort(), [
      'amountCents',
      'confirmationMail',
      'paymentIntentClientSecret',
    ]);
    const [received] = (await lettersQueued()).filter(
      ({ letter }) => letter.kind === 'registration-received',
    );
    assert.equal(received && 'addressHasPlace' in received.letter && received.letter.addressHasPlace, true);
  });

  test('with another address is told nothing at all', async (t) => {
    const { submit, lettersQueued } = await startWithPlace(t);
    await submit({ email: 'else@example.org' }).expect(200);
    assert.ok((await lettersQueued()).every(({ letter }) => !('addressHasPlace' in letter)));
  });

  test('is stored with the address in lower case in the customer, and as typed in the register', async (t) => {
    const site = await startTestSite(t);
    await submitContact(site.app, { email: 'Wilma@Example.org' }).expect(200);
    const { data } = await site.stripe.customers.list({ email: contactStep.email });
    assert.equal(data.length, 1);
    const { data: intents } = await site.stripe.paymentIntents.list();
    const { registration } = await readOnRecord(site, intents[0]?.id ?? '');
    assert.equal(registration?.email, 'Wilma@Example.org');
  });
});
