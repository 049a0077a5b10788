import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import request, { type Test } from 'supertest';
import { ApiError, connect, SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';
import { owedLetter } from '#server/letters/letter-kind.ts';
import { findRegistration } from '#server/registration/registration.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { startListener } from '#server/testing/network.ts';
import { paymentIn } from '#server/testing/test-charges.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { startTestWorker, untilQueued } from '#server/testing/test-queue.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { onlyIntent, startTestSite, submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import {
  CREATE_PAYMENT_PATH,
  IDEMPOTENCY_KEY_HEADER,
  messages,
  RECORD_CONSENT_PATH,
} from '#shared/registration.ts';

const KEY = '0123456789abcdef0123456789abcdef';

describe('POST /createRetreatCustomerPayment', () => {
  test('R3.6 R4.1 makes the customer and a PaymentIntent of 72,100 cents for later off-session use, whatever the browser says', async (t) => {
    const site = await startTestSite(t);
    const response = await submitContact(site.app, { amount: 1, deposit: 1, currency: 'eur' }).expect(200);

    const intent = await onlyIntent(site);
    assert.deepEqual(response.body, {
      paymentIntentClientSecret: intent.client_secret,
      amountCents: 72_100,
      confirmationMail: 'queued',
    });
    const { amount, currency, setup_future_usage, receipt_email, metadata } = intent;
    const made = [amount, currency, setup_future_usage, receipt_email];
    assert.deepEqual(made, [72_100, 'usd', 'off_session', contactStep.email]);
    const [customer, ...others] = (await site.stripe.customers.list()).data;
    assert.match(metadata.registration ?? '', /^reg_[0-9a-f]{24}$/);
    const ofDeposit = { site: 'online-retreat', kind: 'deposit', edition: 'january-2026', amount: '72100' };
    const registration = customer?.metadata.registration;
    assert.deepEqual({ ...metadata }, { ...ofDeposit, registration });
    const { id, name, email, phone } = customer ?? {};
    assert.deepEqual([id, phone, others], [intent.customer, '+15555550142', []]);
    assert.deepEqual([name, email], ['Wilma O’Hara', contactStep.email]);
  });

  test('R4.1 the customer’s phone number can be dialled, the register holds it as it was typed', async (t) => {
    const site = await startTestSite(t);
    const phoneNumber = '(555) 555-0142 ext. 12';
    await submitContact(site.app, { phoneNumber }).expect(200);
    const record = await findRegistration(site, registrationOf(await onlyIntent(site)));
    assert.equal(record?.registrant.phoneNumber, phoneNumber);
    assert.equal((await site.stripe.customers.list()).data[0]?.phone, '5555550142');
  });

  test('R4.2 queues the confirmation mail and the office’s notice once, with job IDs derived from the registration', async (t) => {
    const site = await startTestSite(t);
    const submit = { timeZone: 'Europe/Kiev' };
    await submitContact(site.app, submit).expect(200);
    await submitContact(site.app, submit).expect(200);

    const id = registrationOf(await onlyIntent(site));
    const { package: _, ...contact } = contactStep;
    const queued = await site.lettersQueued();
    assert.deepEqual(
      queued.map((one) => one.id),
      [owedLetter('office-notice', id, '').id, owedLetter('registration-received', id, contact.email).id],
    );
    for (const { letter } of queued) assert.deepEqual(letter.person, { ...contact, timeZone: 'Europe/Kyiv' });
  });

  test('R3.1 an address that only Stripe finds wrong is an error of its field', async (t) => {
    const { app } = await startTestSite(t, {
      intercept: () => {
        throw new ApiError(400, { type: 'invalid_request_error', message: 'No', param: 'email' });
      },
    });
    const { body } = await submitContact(app).expect(400);
    assert.deepEqual(body.error.fields, { email: 'A valid email is required' });
  });

  test('R3.6 a request is taken from its own page only, also in old browsers', async (t) => {
    const { app } = await startTestSite(t, { env: { RATE_LIMIT_PER_ADDRESS: '100' } });
    for (const [what, headers, status] of [
      ['the page itself', { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://127.0.0.1:3000' }, 200],
      ['the public address, in an old browser', { Origin: 'http://127.0.0.1:3000' }, 200],
      ['the address it was reached at', { Origin: 'http://localhost:3000', Host: 'localhost:3000' }, 200],
      ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://127.0.0.1:3000' }, 403],
      ['another site, in an old browser', { Origin: 'https://evil.example' }, 403],
      ['another site of the same domain', { 'Sec-Fetch-Site': 'same-site' }, 403],
      ['a page without an origin', { Origin: 'null' }, 403],
    ] as const)
      assert.equal((await submitContact(app).set(headers)).status, status, what);
  });

  test('R3.1 R3.6 what cannot be taken is refused in words, and nothing is made', async (t) => {
    const site = await startTestSite(t, { env: { RATE_LIMIT_PER_ADDRESS: '100' } });
    const closed = await startTestSite(t, { env: { REGISTRATION: 'closed' } });
    const ask = () => request(site.app).post(CREATE_PAYMENT_PATH).set(IDEMPOTENCY_KEY_HEADER, KEY);
    const bad = { firstName: '  ', email: 'wilma@', phoneNumber: 'call me' };
    const fields = {
      firstName: 'First name is required',
      lastName: 'Last name is required',
      email: 'A valid email is required',
      phoneNumber: 'A valid phone number is required, with area code',
      package: 'Package is required',
    };
    const automated = { code: 'looks_automated' };
    const over = { code: 'registration_closed', message: messages.registrationClosed };
    const unknown = { code: 'unknown_package' };
    const cases: readonly (readonly [() => Test, status: number, expected: object, words?: RegExp])[] = [
      [ask, 400, {}],
      [() => ask().send(bad), 400, { fields }],
      [() => submitContact(site.app, {}, 'short'), 400, {}],
      [() => submitContact(site.app, { website: 'https://spam.example' }), 409, automated, /once more/],
      ...['june_2031_retreat', 'constructor', '__proto__'].map(
        (id) => [() => submitContact(site.app, { package: id }), 422, unknown] as const,
      ),
      [() => submitContact(closed.app), 409, over],
    ];
    for (const [send, status, expected, words = /./] of cases) {
      const { body, text } = await send().expect(status);
      assert.deepEqual({ ...body.error, ...expected }, body.error);
      assert.match(body.error.message, words);
      assert.ok(!text.includes('    at '), text);
    }
    for (const { stripe } of [site, closed]) assert.deepEqual((await stripe.customers.list()).data, []);
  });

  test('R4.2 Stripe away: 504 and a sentence for the visitor, the cause only in the log', async (t) => {
    const site = await startTestSite(t);
    await site.sandbox.close();
    const response = await submitContact(site.app).expect(504);
    assert.deepEqual(response.body.error, {
      code: 'payment_provider_unreachable',
      message: 'An unexpected error occurred',
    });
    assert.match(site.log.text(), /StripeConnectionError/);
  });

  test('R4.2 Stripe refuses: 502; its message, which may repeat what the visitor typed, is not even logged', async (t) => {
    const site = await startTestSite(t, {
      intercept: () => {
        const message = `Invalid email address: ${contactStep.email}`;
        throw new ApiError(400, { type: 'invalid_request_error', code: 'email_invalid', message });
      },
    });
    const response = await submitContact(site.app).expect(502);
    assert.equal(response.body.error.message, 'An unexpected error occurred');
    assert.match(site.log.text(), /StripeInvalidRequestError, email_invalid/);
    assert.equal(site.log.text().includes('Invalid email address'), false);
  });

  test('R5.1 Redis away: the registration succeeds, and the mail is recorded as owed', async (t) => {
    const site = await startTestSite(t, { redisRunning: false });
    const response = await submitContact(site.app).expect(200);
    assert.match(response.body.paymentIntentClientSecret, /^pi_\w+_secret_/);
    assert.equal(response.body.confirmationMail, 'later');
    assert.match(site.log.text(), /The confirmation mail could not be queued: the worker will send it later/);
  });
});

describe('what a registration costs', () => {
  test('four calls to Stripe from the first press to the welcome, its letters included', async (t) => {
    const calls: string[] = [];
    const site = await startTestSite(t, {
      intercept({ method, path, keyKind }) {
        if (keyKind === 'secret') calls.push(`${method} ${path.replace(/(?<=\/)(pi|cus)_\w+/, '$1')}`);
        return undefined;
      },
    });
    const { url } = await startListener(t, {}, site.app);
    site.sandbox.setWebhookUrl(`${url}${WEBHOOK_PATH}`);
    const mailServer = await startMailServer(t);
    const { redis, log, outbox } = site;
    startTestWorker(t, { redis, log, outbox, mailServer });
    const mails = async (count: number) => {
      while (mailServer.mails.length < count) await once(mailServer.events, 'mail');
    };
    const { body } = await submitContact(site.app).expect(200);
    await mails(2);
    const { paymentIntentClientSecret: client_secret } = body;
    const { version, digest } = edition.terms;
    const consent = { paymentIntentClientSecret: client_secret, version, digest };
    await request(site.app).post(RECORD_CONSENT_PATH).send(consent).expect(204);
    const confirm = `/v1/payment_intents/${paymentIn(client_secret)}/confirm`;
    const browser = connect(site.sandbox, SANDBOX_KEYS.publishableKey);
    await browser.rawRequest('POST', confirm, { client_secret, payment_method: 'pm_card_visa' });
    await site.sandbox.eventsAttempted();
    await mails(4);
    assert.deepEqual(calls, [
      'POST /v1/customers',
      'POST /v1/payment_intents',
      // Her consent, and Stripe's event that she has paid.
      'GET /v1/payment_intents/pi',
      'GET /v1/payment_intents/pi',
    ]);
  });

  test('two transactions before the answer, where places are not limited, and none after it', async (t) => {
    const site = await startTestSite(t);
    const write = t.mock.method(site.database, 'write');
    const read = t.mock.method(site.database, 'read');
    const transactions = () => write.mock.callCount() + read.mock.callCount();
    await submitContact(site.app).expect(200);
    // The letters are queued once it is answered.
    await untilQueued();
    assert.equal(transactions(), 2);
  });
});
