import assert from 'node:assert/strict';
import { test as base, type Page } from '@playwright/test';
import { inScope } from '#server/testing/clean-up.ts';
import { SANDBOX_KEYS, startTestSandbox } from './sandbox.ts';

// How a page pays with these fields, with 3-D Secure and with refused cards, client/e2e/cards.spec.ts and
// client/e2e/own-page.spec.ts show.

const FIELDS = `
const elements = Stripe('${SANDBOX_KEYS.publishableKey}').elements();
const style = { base: { color: '#123456' }, invalid: { color: '#b00020' } };
window.changes = [];
for (const type of ['cardNumber', 'cardExpiry', 'cardCvc']) {
  elements.create(type, { style }).on('change', (change) => changes.push(change)).mount(document.getElementById(type));
}
window.submits = 0;
document.forms[0].addEventListener('submit', (event) => { event.preventDefault(); window.submits += 1; });
`;

/** Opens a page with the three fields. */
async function openFields(page: Page, sandboxUrl: string) {
  await page.setContent(`<form><label for="cardNumber">Card number</label><div id="cardNumber"></div>
<div id="cardExpiry"></div><div id="cardCvc"></div><button>Pay</button></form>
<script src="${sandboxUrl}/stripe.js"></script><script>${FIELDS}</script>`);
  const number = page.getByLabel('Credit or debit card number');
  const expiry = page.getByLabel('Credit or debit card expiration date');
  const cvc = page.getByLabel('Credit or debit card CVC/CVV');
  return { number, expiry, cvc };
}

const test = base.extend<{ fields: Awaited<ReturnType<typeof openFields>> }>({
  viewport: { width: 390, height: 700 },
  fields: ({ page }, use) =>
    inScope(async (scope) => {
      const { sandbox } = await startTestSandbox(scope);
      await use(await openFields(page, sandbox.url));
    }),
});

// https://docs.stripe.com/js/element/events
test('fields format what is typed, and report errors once they lose focus', async ({ page, fields }) => {
  const { number, expiry, cvc } = fields;
  await page.getByText('Card number', { exact: true }).click();
  await page.keyboard.type('378282246310005');
  assert.equal(await number.inputValue(), '3782 8224 6310 005');
  await page.keyboard.press('Tab');
  await page.keyboard.type('524');
  assert.equal(await expiry.inputValue(), '05 / 24');
  assert.equal(await expiry.getAttribute('aria-invalid'), 'true');
  await page.keyboard.press('Tab');
  await page.keyboard.type('123');
  assert.equal(await cvc.getAttribute('aria-invalid'), 'false');
  await page.keyboard.press('Shift+Tab');
  const errors = await page.evaluate('changes.filter((c) => c.error).map((c) => c.error.code)');
  assert.deepEqual(errors, ['invalid_expiry_year_past', 'incomplete_cvc']);
  assert.equal(
    await page.evaluate("changes.filter((c) => c.elementType === 'cardNumber' && c.complete).length"),
    1,
  );
  const classOf = (id: string) => page.locator(id).getAttribute('class');
  assert.equal(await classOf('#cardNumber'), '');
  assert.equal(await classOf('#cardExpiry'), 'StripeElement--invalid StripeElement--focus');
  await number.fill('4242424242424241');
  assert.equal(await number.evaluate((input) => getComputedStyle(input).color), 'rgb(176, 0, 32)');
  for (const [given, shown] of [
    ['05', '05'],
    ['1/3', '01 / 3'],
    ['122031', '12 / 31'],
    ['04/2031', '04 / 31'],
  ] as const) {
    await expiry.fill(given);
    assert.equal(await expiry.inputValue(), shown);
  }
});

test('the Enter key submits the form of a field, unless its button is disabled', async ({ page, fields }) => {
  for (const [isDisabled, submits] of [
    [true, 0],
    [false, 1],
  ] as const) {
    await page.evaluate(`document.querySelector('button').disabled = ${isDisabled}`);
    await fields.number.press('Enter');
    assert.equal(await page.evaluate('submits'), submits);
  }
  const box = await page.getByRole('complementary', { name: 'Payment sandbox' }).boundingBox();
  assert.ok(box && box.height <= 48 && box.y + box.height === 700);
});
