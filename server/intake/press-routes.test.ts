import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { createLinks, findRow, linkDigest } from '#server/registration/registration.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { onlyIntent, startTestSite, submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { registrationOverAt } from '#shared/content/moments.ts';

/** A site with one registration that is not paid, and the page that ends it. */
async function startUnpaid(t: TestContext) {
  const site = await startTestSite(t);
  const { body } = await submitContact(site.app).expect(200);
  const intent = await onlyIntent(site);
  const registration = registrationOf(intent);
  const links = createLinks(site.config.linkSecrets, site.config.publicUrl);
  const expiresAt = registrationOverAt(edition.facts);
  const pathFor = (email = contactStep.email) =>
    new URL(links.url('end', { subject: registration, digest: linkDigest(email), expiresAt })).pathname;
  const row = async () =>
    (await site.database.read((transaction) => findRow(transaction, registration))) ?? assert.fail();
  const status = async () => (await site.stripe.paymentIntents.retrieve(intent.id)).status;
  return { ...site, payment: intent.id, pathFor, row, status, clientSecret: body.paymentIntentClientSecret };
}

describe('the page that ends a registration that is not paid', () => {
  test('opening it changes nothing; one press closes the payment, frees the place and deletes her details', async (t) => {
    const { app, pathFor, row, status, stripe, log } = await startUnpaid(t);
    const page = await request(app).get(pathFor()).expect(200);
    assert.match(page.text, /End this registration/);
    assert.doesNotMatch(page.text, /wilma/i);
    assert.equal(page.get('referrer-policy'), 'no-referrer');
    assert.deepEqual([await status(), (await row()).standing], ['requires_payment_method', 'open']);
    for (const _again of [1, 2])
      assert.match((await request(app).post(pathFor()).expect(200)).text, /The registration has ended/);
    const { standing, email, firstName, phoneNumber } = await row();
    assert.deepEqual(
      [await status(), standing, email, firstName, phoneNumber],
      ['canceled', 'free', '', '', ''],
    );
    assert.deepEqual((await stripe.customers.list({ email: contactStep.email })).data, []);
    assert.match(log.text(), /\/unfinished\/:token/);
    assert.doesNotMatch(log.text(), /v1\.reg_/);
  });

  test('once the deposit is paid, a press changes nothing', async (t) => {
    const { app, pathFor, row, status, stripe, payment } = await startUnpaid(t);
    await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
    const { text } = await request(app).post(pathFor()).expect(409);
    assert.match(text, /This place is paid for/);
    assert.deepEqual([await status(), (await row()).email], ['succeeded', contactStep.email]);
  });

  test('the link of a mistyped address does not end the registration that was corrected', async (t) => {
    const { app, pathFor, clientSecret, status } = await startUnpaid(t);
    await submitContact(app, { email: 'right@example.org', paymentIntentClientSecret: clientSecret });
    await request(app).post(pathFor()).expect(403);
    assert.equal(await status(), 'requires_payment_method');
    await request(app).post(pathFor('right@example.org')).expect(200);
  });
});
