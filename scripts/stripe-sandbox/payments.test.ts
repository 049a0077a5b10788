import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Stripe from 'stripe';
import { connect, SANDBOX_KEYS } from './sandbox.ts';
import { cardForm, startLoggedSandbox } from './test-sandbox.ts';

const payment: Stripe.PaymentIntentCreateParams = {
  amount: 72_100,
  currency: 'usd',
  metadata: { firstName: 'Ada' },
};

const DECLINES = [
  ['4000000000000002', 'card_declined', 'generic_decline', 'Your card was declined.'],
  ['4000000000009995', 'card_declined', 'insufficient_funds', 'Your card has insufficient funds.'],
  ['4000000000000069', 'expired_card', undefined, 'Your card has expired.'],
  ['4000000000000127', 'incorrect_cvc', undefined, "Your card's security code is incorrect."],
  [
    '4000000000000119',
    'processing_error',
    undefined,
    'An error occurred while processing your card. Try again in a little bit.',
  ],
] as const;

for (const number of ['4242424242424242', '5555555555554444', '378282246310005', '6011111111111117']) {
  test(`R4.3 the card ${number} pays`, async (t) => {
    const { stripe, browser } = await startLoggedSandbox(t);
    const intent = await stripe.paymentIntents.create(payment);
    const paid = await browser.pay(intent, number);
    assert.deepEqual([paid.status, paid.body.status], [200, 'succeeded']);
    const seen = await stripe.paymentIntents.retrieve(intent.id);
    assert.equal(seen.amount_received, 72_100);
    const method = await stripe.paymentMethods.retrieve(String(seen.payment_method));
    assert.equal(method.card?.last4, number.slice(-4));
  });
}

for (const [number, code, declineCode, message] of DECLINES) {
  test(`R4.4 the card ${number} is declined: ${message}`, async (t) => {
    const { stripe, browser } = await startLoggedSandbox(t);
    const intent = await stripe.paymentIntents.create(payment);
    const answer = await browser.pay(intent, number);
    const { error } = answer.body;
    assert.equal(answer.status, 402);
    assert.deepEqual(
      [error.type, error.code, error.decline_code, error.message],
      ['card_error', code, declineCode, message],
    );
    assert.equal(error.payment_intent.status, 'requires_payment_method');
    const seen = await stripe.paymentIntents.retrieve(intent.id);
    assert.deepEqual([seen.status, seen.last_payment_error?.message], ['requires_payment_method', message]);
    assert.equal((await browser.pay(intent, '4242424242424242')).body.status, 'succeeded');
  });
}

test('any other number, a past date and a short CVC are card errors', async (t) => {
  const { browser } = await startLoggedSandbox(t);
  const refused = async (form: Record<string, string>) =>
    (await browser.call('/v1/payment_methods', form)).body.error;
  assert.match((await refused(cardForm('4111111111111111'))).message, /test card numbers only/);
  const past = await refused({ ...cardForm('4242424242424242'), 'card[exp_year]': '2020' });
  assert.equal(past.code, 'invalid_expiry_year');
  assert.equal((await refused(cardForm('378282246310005', '123'))).code, 'invalid_cvc');
  const short = await browser.call('/v1/payment_methods', {
    ...cardForm('4242424242424242'),
    'card[exp_year]': String((new Date().getFullYear() + 2) % 100),
  });
  assert.equal(short.body.card.exp_year, new Date().getFullYear() + 2);
});

test('R4.3 a card that paid with a setup for later use belongs to the customer', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const customer = await stripe.customers.create({});
  const intent = await stripe.paymentIntents.create({
    ...payment,
    customer: customer.id,
    setup_future_usage: 'off_session',
  });
  await browser.pay(intent, '4242424242424242');
  const { payment_method } = await stripe.paymentIntents.retrieve(intent.id);
  const method = await stripe.paymentMethods.retrieve(String(payment_method));
  assert.equal(method.customer, customer.id);
});

test('a publishable key sees the public fields of the intent whose secret it knows, and no more', async (t) => {
  const { stripe, browser, sandbox } = await startLoggedSandbox(t);
  const customer = await stripe.customers.create({});
  const intent = await stripe.paymentIntents.create({ ...payment, customer: customer.id });
  const path = `/v1/payment_intents/${intent.id}`;
  const seen = await browser.call(`${path}?client_secret=${intent.client_secret}`);
  assert.equal(seen.body.amount, 72_100);
  assert.ok(!seen.text.includes(customer.id) && !seen.text.includes('Ada'));
  assert.equal(seen.headers.get('access-control-allow-origin'), 'http://localhost:3000');
  assert.equal((await browser.call(path)).body.error.param, 'client_secret');
  const declined = await browser.pay(intent, '4000000000000002');
  assert.ok(!declined.text.includes(customer.id) && !declined.text.includes('Ada'));
  const publishable = connect(sandbox, SANDBOX_KEYS.publishableKey);
  const forbidden = { statusCode: 403, code: 'secret_key_required' };
  await assert.rejects(() => publishable.customers.list(), forbidden);
  await assert.rejects(() => publishable.paymentIntents.list(), forbidden);
  await assert.rejects(() => publishable.paymentIntents.update(intent.id, { amount: 100 }), forbidden);
});

test('a page from another machine gets no CORS headers', async (t) => {
  const { sandbox } = await startLoggedSandbox(t);
  const preflight = async (origin: string) =>
    (
      await fetch(`${sandbox.url}/v1/payment_methods`, { method: 'OPTIONS', headers: { Origin: origin } })
    ).headers.get('access-control-allow-origin');
  assert.equal(await preflight('http://127.0.0.1:3000'), 'http://127.0.0.1:3000');
  assert.equal(await preflight('https://localhost.example.com'), null);
  assert.equal(await preflight('null'), null);
});

test('no card number comes back in an answer, on the page, or in the log', async (t) => {
  const { stripe, browser, sandbox, lines } = await startLoggedSandbox(t);
  const texts: string[] = [];
  for (const number of ['4242424242424242', '4000000000000002', '4111111111111111']) {
    const intent = await stripe.paymentIntents.create({ ...payment, receipt_email: 'ada@example.com' });
    texts.push((await browser.call('/v1/payment_methods', cardForm(number))).text);
    texts.push((await browser.pay(intent, number)).text);
    texts.push(JSON.stringify(await stripe.paymentIntents.retrieve(intent.id)));
  }
  const digits = /4242424242424242|4000000000000002|4111111111111111/;
  for (const text of texts) assert.doesNotMatch(text, digits);
  await stripe.customers.list({ email: 'ada@example.com' });
  const page = await (await fetch(sandbox.url)).text();
  assert.doesNotMatch(page, digits);
  assert.ok(lines.length > 10);
  for (const line of lines) assert.doesNotMatch(line, /\d{16}|ada@|_secret_/);
});
