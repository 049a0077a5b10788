import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test as base, type Page } from '@playwright/test';
import { build } from 'esbuild';
import { SANDBOX_KEYS, startTestSandbox } from './sandbox.ts';
import { cardForm } from './test-sandbox.ts';

/** A payment page with the real React elements, mounted twice as StrictMode does. */
const SCRIPT = `
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { loadStripe } from '@stripe/stripe-js/pure';
import { CardCvcElement, CardExpiryElement, CardNumberElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';

const stripePromise = loadStripe('${SANDBOX_KEYS.publishableKey}', { locale: 'auto' });
const secret = new URLSearchParams(location.search).get('secret');
window.changes = [];

function Form() {
  const stripe = useStripe();
  const elements = useElements();
  const [text, setText] = useState('');
  const [complete, setComplete] = useState(false);
  const pay = async () => {
    const card = elements.getElement(CardNumberElement);
    const billing_details = { name: 'Ada Long', phone: null, address: { line1: '1 Way', country: 'US' } };
    if (secret.startsWith('seti_')) return stripe.confirmCardSetup(secret, { payment_method: { card, billing_details } });
    const { paymentMethod, error } = await stripe.createPaymentMethod({ type: 'card', card, billing_details });
    if (error) return { error };
    return stripe.confirmCardPayment(secret, { payment_method: paymentMethod.id, receipt_email: 'ada@example.com', setup_future_usage: 'off_session' });
  };
  const submit = async (event) => {
    event.preventDefault();
    setText('');
    const { error, paymentIntent, setupIntent } = await pay();
    setText(error ? error.type + ': ' + error.message : (paymentIntent ?? setupIntent).status);
  };
  const ready = (name) => () => { document.getElementById(name).dataset.ready = 'yes'; };
  const onChange = (event) => { window.changes.push(event); if (event.elementType === 'cardNumber') setComplete(event.complete); };
  const style = { base: { color: complete ? '#006622' : '#123456', fontSize: '18px' }, invalid: { color: '#b00020' } };
  return (
    <form onSubmit={submit}>
      <label htmlFor="number">Card number</label>
      <CardNumberElement id="number" options={{ style }} onReady={ready('number')} onChange={onChange} />
      <CardExpiryElement id="expiry" onReady={ready('expiry')} onChange={onChange} />
      <CardCvcElement id="cvc" onReady={ready('cvc')} onChange={onChange} />
      <button id="pay">Pay</button>
      <output>{text}</output>
    </form>
  );
}
createRoot(document.querySelector('main')).render(<StrictMode><Elements stripe={stripePromise}><Form /></Elements></StrictMode>);
`;

/** Serves the page under a strict content security policy; returns its address. */
async function startPage(sandboxUrl: string, actions: (() => unknown)[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, loader: 'jsx', resolveDir: import.meta.dirname },
    ...{ jsx: 'automatic', bundle: true, format: 'esm', target: 'es2022', write: false },
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  const html = `<!doctype html><html lang="en"><title>Shop</title><main></main>
<script src="${sandboxUrl}/stripe.js"></script><script src="/page.js" type="module"></script></html>`;
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    const policy = `default-src 'none'; script-src 'self' ${sandboxUrl}; connect-src ${sandboxUrl}; style-src 'self'`;
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? outputFiles[0]?.text : html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  actions.push(() => server.close().closeAllConnections());
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return `http://127.0.0.1:${address.port}/`;
}

/** Opens the page for an intent; `problems` is what it logged as an error or a warning, or threw. */
async function openShop(page: Page, actions: (() => unknown)[]) {
  const started = await startTestSandbox({ after: (action: () => unknown) => void actions.push(action) });
  const address = await startPage(started.sandbox.url, actions);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  const open = async ({ client_secret }: { client_secret: string | null }) => {
    await page.goto(`${address}?secret=${client_secret}`);
    await page.locator('#cvc[data-ready]').waitFor();
  };
  const customer = (await started.stripe.customers.create({})).id;
  const intent = await started.stripe.paymentIntents.create({ amount: 72_100, currency: 'usd', customer });
  await open(intent);
  return { ...started, problems, open, customer, intent, ...actionsOn(page) };
}

/** What a visitor does on the page; she finds the fields by the names that a screen reader says. */
function actionsOn(page: Page) {
  const number = page.getByLabel('Credit or debit card number');
  const expiry = page.getByLabel('Credit or debit card expiration date');
  const cvc = page.getByLabel('Credit or debit card CVC/CVV');
  const payWith = async (digits: string) => {
    await number.fill(digits);
    await expiry.fill(`12/${(new Date().getFullYear() + 3) % 100}`);
    await cvc.fill(cardForm(digits)['card[cvc]']);
    await page.getByRole('button', { name: 'Pay' }).click();
  };
  const result = (text: string) => page.locator('output', { hasText: text }).waitFor();
  const press = (name: string) => page.getByRole('button', { name }).click();
  return { number, expiry, cvc, payWith, result, press };
}

const test = base.extend<{ shop: Awaited<ReturnType<typeof openShop>> }>({
  viewport: { width: 390, height: 700 },
  shop: async ({ page }, use) => {
    const actions: (() => unknown)[] = [];
    try {
      await use(await openShop(page, actions));
    } finally {
      for (const action of actions) await action();
    }
  },
});

// https://docs.stripe.com/js/payment_intents/confirm_card_payment
test('R4.3 a card pays under a strict content security policy, with the real React elements', async ({
  page,
  shop,
}) => {
  const { stripe, intent, problems, number } = shop;
  assert.equal(await page.locator('#number input').count(), 1);
  await shop.payWith('5555555555554444');
  assert.equal(await number.evaluate((input) => getComputedStyle(input).color), 'rgb(0, 102, 34)');
  await shop.result('succeeded');
  const { receipt_email, setup_future_usage, payment_method } = await stripe.paymentIntents.retrieve(
    intent.id,
  );
  assert.deepEqual([receipt_email, setup_future_usage], ['ada@example.com', 'off_session']);
  const { billing_details } = await stripe.paymentMethods.retrieve(String(payment_method));
  assert.deepEqual([billing_details.name, billing_details.address?.line1], ['Ada Long', '1 Way']);
  const banner = page.getByRole('complementary', { name: 'Payment sandbox' });
  assert.equal(await banner.getByRole('link').getAttribute('href'), `${shop.sandbox.url}/`);
  const box = await banner.boundingBox();
  assert.ok(box && box.height <= 48 && box.y + box.height === 700);
  assert.deepEqual(problems, []);
});

// https://docs.stripe.com/js/element/events
test('fields format what is typed, and report errors once they lose focus', async ({ page, shop }) => {
  const { number, expiry, cvc } = shop;
  await page.getByText('Card number', { exact: true }).click();
  await page.keyboard.type('378282246310005');
  assert.equal(await number.inputValue(), '3782 822463 10005');
  await page.keyboard.press('Tab');
  await page.keyboard.type('524');
  assert.equal(await expiry.inputValue(), '05 / 24');
  assert.equal(await expiry.getAttribute('aria-invalid'), 'true');
  await page.keyboard.press('Tab');
  await page.keyboard.type('12');
  assert.equal(await cvc.getAttribute('aria-invalid'), 'false');
  await page.keyboard.press('Shift+Tab');
  const errors = await page.evaluate('changes.filter((c) => c.error).map((c) => c.error.code)');
  assert.deepEqual(errors, ['invalid_expiry_year_past', 'incomplete_cvc']);
  const classOf = (id: string) => page.locator(id).getAttribute('class');
  assert.equal(await classOf('#number'), 'StripeElement StripeElement--complete');
  assert.match((await classOf('#expiry')) ?? '', /StripeElement--invalid.* StripeElement--focus/);
  await number.fill('4242424242424241');
  assert.equal(await number.evaluate((input) => getComputedStyle(input).color), 'rgb(176, 0, 32)');
});

// https://docs.stripe.com/error-codes
test('R4.4 an incomplete card, a decline, and an unreachable sandbox become errors', async ({
  page,
  shop,
}) => {
  await shop.number.press('Enter');
  await shop.result('validation_error: Your card number is incomplete.');
  await shop.payWith('4000000000009995');
  await shop.result('card_error: Your card has insufficient funds.');
  await page.evaluate("window.submits = 0; addEventListener('submit', () => { window.submits += 1; })");
  await page.evaluate("document.getElementById('pay').disabled = true");
  await shop.number.fill('4111111111111111');
  await shop.number.press('Enter');
  assert.equal(await page.evaluate('submits'), 0);
  await page.evaluate("document.getElementById('pay').disabled = false");
  await shop.number.press('Enter');
  assert.equal(await page.evaluate('submits'), 1);
  await shop.result('card_error: Your card was declined. This is a sandbox');
  await shop.sandbox.close();
  await shop.payWith('4242424242424242');
  await shop.result('api_connection_error: We are experiencing issues connecting');
});

// https://docs.stripe.com/payments/3d-secure/authentication-flow
test('R4.3 the 3-D Secure challenge of a payment or a stored card is completed, failed or closed', async ({
  page,
  shop,
}) => {
  const failure = 'invalid_request_error: We are unable to authenticate your payment method.';
  await shop.payWith('4000000000003220');
  await page.getByRole('dialog', { name: '3-D Secure test challenge' }).getByText('$721.00').waitFor();
  await shop.press('Fail authentication');
  await shop.result(failure);
  await shop.payWith('4000000000003220');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await shop.result(failure);
  await shop.payWith('4000000000003220');
  await shop.press('Complete authentication');
  await shop.result('succeeded');
  const setup = await shop.stripe.setupIntents.create({ customer: shop.customer, usage: 'off_session' });
  await shop.open(setup);
  await shop.payWith('4000002500003155');
  await page.getByRole('dialog').getByText('approve that the card is stored').waitFor();
  await shop.press('Complete authentication');
  await shop.result('succeeded');
  const [method] = (await shop.stripe.customers.listPaymentMethods(shop.customer)).data;
  assert.equal(method?.card?.last4, '3155');
});
