import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import type { Intercept } from '#scripts/stripe-sandbox/sandbox.ts';
import { findRegistration } from '#server/registration/registration.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { earlierTerms, recordEarlierTerms } from '#server/testing/test-editions.ts';
import { onlyIntent, type SiteOptions, startTestSite, submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';

const { terms } = edition;
const { version, digest } = terms;
const FIRST = new Date('2025-12-01T10:00:00.000Z');

/** A site with one unpaid registration, and a clock that stands still until the test moves it. */
async function startSite(t: TestContext, options: SiteOptions = {}) {
  const clock = { now: FIRST };
  const site = await startTestSite(t, { changes: { now: () => clock.now }, ...options });
  const { body } = await submitContact(site.app).expect(200);
  const consent = { paymentIntentClientSecret: String(body.paymentIntentClientSecret), version, digest };
  const send = (changes: object = {}) =>
    request(site.app)
      .post(RECORD_CONSENT_PATH)
      .send({ ...consent, ...changes });
  const recorded = async () =>
    (await findRegistration(site, registrationOf(await onlyIntent(site))))?.agreement;
  return { ...site, clock, consent, send, recorded };
}

const guessed = ({ paymentIntentClientSecret: secret }: { paymentIntentClientSecret: string }) => ({
  paymentIntentClientSecret: secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
});

describe('consent on record: the tick is sent to the server before the card is charged', () => {
  test('version, digest and time are stored; nothing changes at Stripe', async (t) => {
    const { send, recorded, ...site } = await startSite(t);
    const { metadata: before } = await onlyIntent(site);
    const { headers, text } = await send().expect(204);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(text, '');
    assert.deepEqual(await recorded(), { version, digest, agreedAt: FIRST });
    assert.deepEqual((await onlyIntent(site)).metadata, before);
  });

  test('the first consent to the same terms is kept; of different terms of the edition, the last consent', async (t) => {
    const { send, recorded, clock } = await startSite(t);
    await send().expect(204);
    clock.now = new Date('2025-12-01T11:00:00.000Z');
    await send().expect(204);
    assert.deepEqual((await recorded())?.agreedAt, FIRST);
    t.after(recordEarlierTerms());
    for (const { version, digest } of [earlierTerms, terms, earlierTerms]) {
      clock.now = new Date(clock.now.getTime() + 1_000);
      await send({ version, digest }).expect(204);
      assert.deepEqual(await recorded(), { version, digest, agreedAt: clock.now });
    }
  });

  test('of other terms, another payment or a malformed one is refused, and nothing is written', async (t) => {
    const { send, recorded, consent } = await startSite(t);
    for (const [changes, status, code] of [
      [{ version: 'never' }, 409, 'unknown_terms'],
      [{ digest: '0'.repeat(64) }, 409, 'unknown_terms'],
      [{ paymentIntentClientSecret: 'pi_other_secret_x' }, 409, 'registration_not_found'],
      [guessed(consent), 409, 'registration_not_found'],
      [{ paymentIntentClientSecret: 'pi_1' }, 400, 'invalid_request'],
      [{ digest: 'x'.repeat(64) }, 400, 'invalid_request'],
    ] as const)
      assert.equal((await send(changes).expect(status)).body.error.code, code);
    assert.equal(await recorded(), undefined);
  });

  test('R4.5 invented secrets have nothing read at Stripe: as a consent, an edit, or to open her page', async (t) => {
    const calls: string[] = [];
    const intercept: Intercept = ({ method, path }) => void calls.push(`${method} ${path}`);
    const { app, consent, send } = await startSite(t, { intercept });
    calls.length = 0;
    const invented = { paymentIntentClientSecret: `${consent.paymentIntentClientSecret}x` };
    await send(invented).expect(409);
    await submitContact(app, invented).expect(409);
    await request(app)
      .post(ownPagePaths.open)
      .set('Sec-Fetch-Site', 'same-origin')
      .type('form')
      .send(invented)
      .expect(409);
    assert.deepEqual(calls, []);
  });

  for (const [what, end, code] of [
    ['paid', 'confirm', 'already_paid'],
    ['cancelled', 'cancel', 'payment_canceled'],
  ] as const) {
    test(`a payment that is ${what} already accepts no consent`, async (t) => {
      const { send, stripe, recorded } = await startSite(t);
      const { id } = await onlyIntent({ stripe });
      if (end === 'confirm') await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      else await stripe.paymentIntents.cancel(id);
      const { body } = await send().expect(409);
      assert.equal(body.error.code, code);
      assert.equal(await recorded(), undefined);
    });
  }
});
