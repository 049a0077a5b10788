import assert from 'node:assert/strict';
import { fields, fillCard, payWith, result, screenshot, test } from './browser-test-page.ts';
import { SANDBOX_KEYS } from './sandbox.ts';

/** The page's script, with the real loader of @stripe/stripe-js. */
const PAGE_SCRIPT = `
import { loadStripe } from '@stripe/stripe-js/pure';
const stripe = await loadStripe('${SANDBOX_KEYS.publishableKey}', { locale: 'auto' });
const elements = stripe.elements();
window.changes = [];
window.events = [];
const style = {
  base: { color: '#123456', fontSize: '18px', '::placeholder': { color: '#667788' } },
  invalid: { color: '#b00020' },
};
for (const [type, id] of [['cardNumber', 'number'], ['cardExpiry', 'expiry'], ['cardCvc', 'cvc']]) {
  const element = elements.create(type, { style, showIcon: type === 'cardNumber' });
  element.on('change', (event) => window.changes.push(event));
  for (const name of ['focus', 'blur', 'escape']) element.on(name, () => window.events.push(name + ' ' + type));
  element.mount('#' + id);
  element.on('ready', () => {
    window.events.push('ready ' + type);
    document.getElementById(id).dataset.ready = 'yes';
  });
}
window.elements = elements;
document.getElementById('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const result = document.getElementById('result');
  result.textContent = '';
  const method = await stripe.createPaymentMethod({
    type: 'card',
    card: elements.getElement('cardNumber'),
    billing_details: { name: 'Ada Long', email: 'ada@example.com', phone: null, address: { line1: '1 Way', country: 'US' } },
  });
  const paid = method.error ? method : await stripe.confirmCardPayment(
    new URLSearchParams(location.search).get('secret'),
    { payment_method: method.paymentMethod.id, receipt_email: 'ada@example.com', setup_future_usage: 'off_session' },
  );
  result.textContent = paid.error ? paid.error.type + ': ' + paid.error.message : paid.paymentIntent.status;
});
`;

test.use({ script: PAGE_SCRIPT });

test('R4.3 a card pays under a strict content security policy, loaded by @stripe/stripe-js', async ({
  shop,
}) => {
  const { page, stripe, intent, problems } = shop;
  await payWith(page, '4242424242424242');
  await result(page, 'succeeded');
  const paid = await stripe.paymentIntents.retrieve(intent.id);
  assert.deepEqual(
    [paid.status, paid.receipt_email, paid.setup_future_usage],
    ['succeeded', 'ada@example.com', 'off_session'],
  );
  const method = await stripe.paymentMethods.retrieve(String(paid.payment_method));
  assert.equal(method.billing_details.address?.line1, '1 Way');
  assert.deepEqual(problems, []);
});

test('fields format what is typed, and report errors once they lose focus', async ({ shop }) => {
  const { page } = shop;
  const { number, expiry, cvc } = fields(page);
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
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+Tab');
  const errors = await page.evaluate(
    'changes.filter((c) => c.error).map((c) => [c.elementType, c.error.code])',
  );
  assert.deepEqual(errors, [
    ['cardExpiry', 'invalid_expiry_year_past'],
    ['cardCvc', 'incomplete_cvc'],
  ]);
  const last = await page.evaluate("changes.findLast((c) => c.elementType === 'cardNumber')");
  assert.deepEqual(last, {
    elementType: 'cardNumber',
    empty: false,
    complete: true,
    error: undefined,
    value: undefined,
    brand: 'amex',
  });
  assert.equal(await page.locator('#number').getAttribute('class'), 'StripeElement StripeElement--complete');
  assert.match((await page.locator('#cvc').getAttribute('class')) ?? '', /StripeElement--invalid/);
  assert.deepEqual(await page.evaluate('events.filter((e) => /escape|focus cardNumber/.test(e))'), [
    'focus cardNumber',
    'escape cardCvc',
  ]);
});

test('style, update, clear, unmount and destroy behave as with Stripe’s elements', async ({ shop }) => {
  const { page } = shop;
  const { number } = fields(page);
  const color = () => number.evaluate((input) => getComputedStyle(input).color);
  assert.equal(await color(), 'rgb(18, 52, 86)');
  await number.fill('4242424242424241');
  assert.equal(await color(), 'rgb(176, 0, 32)');
  const act = (code: string) =>
    page.evaluate(`elements.getElement('cardNumber').${code}`).then(() => undefined);
  await act("update({ placeholder: 'Number', disabled: true })");
  assert.equal(await number.isDisabled(), true);
  await act('update({ disabled: false })');
  await act('clear()');
  assert.equal(await number.inputValue(), '');
  assert.equal(await number.getAttribute('placeholder'), 'Number');
  await act('unmount()');
  assert.equal(await page.locator('#number').getAttribute('class'), '');
  await act("mount('#number')");
  assert.equal(await number.count(), 1);
  await act('destroy()');
  assert.equal(await page.evaluate("elements.getElement('cardNumber')"), null);
  assert.equal(await page.evaluate("elements.create('cardNumber').mount('#number')"), undefined);
});

test('R4.4 an incomplete card, a decline, and an unreachable sandbox become errors', async ({ shop }) => {
  const { page, sandbox } = shop;
  await page.getByRole('button', { name: 'Pay' }).click();
  await result(page, 'validation_error: Your card number is incomplete.');
  await payWith(page, '4000000000009995');
  await result(page, 'card_error: Your card has insufficient funds.');
  await payWith(page, '4111111111111111');
  await result(page, 'card_error: Your card was declined. This is a sandbox');
  await sandbox.close();
  await payWith(page, '4242424242424242');
  await result(page, 'api_connection_error: We are experiencing issues connecting');
});

test('R4.3 the 3-D Secure challenge can be completed, failed or closed', async ({ shop }) => {
  const { page, stripe, intent } = shop;
  const failure = 'invalid_request_error: We are unable to authenticate your payment method.';
  await payWith(page, '4000000000003220');
  await page.getByRole('dialog', { name: '3-D Secure test challenge' }).waitFor();
  await screenshot(page, 'sandbox-challenge');
  await page.getByRole('button', { name: 'Fail authentication' }).click();
  await result(page, failure);
  await payWith(page, '4000000000003220');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await result(page, failure);
  await payWith(page, '4000000000003220');
  await page.getByRole('button', { name: 'Complete authentication' }).press('Enter');
  await result(page, 'succeeded');
  assert.equal((await stripe.paymentIntents.retrieve(intent.id)).status, 'succeeded');
});

test('the banner names the sandbox and covers little of the page', async ({ shop }) => {
  const { page, sandbox } = shop;
  const banner = page.getByRole('complementary', { name: 'Payment sandbox' });
  assert.match((await banner.textContent()) ?? '', /no card is charged/);
  const link = banner.getByRole('link');
  assert.equal(await link.getAttribute('href'), `${sandbox.url}/`);
  const box = await banner.boundingBox();
  assert.ok(box && box.height <= 48 && box.y + box.height === 700);
  await fillCard(page, '4242424242424242');
  await screenshot(page, 'sandbox-fields');
});
