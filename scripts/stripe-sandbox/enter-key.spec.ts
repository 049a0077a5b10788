import assert from 'node:assert/strict';
import { fields, test } from './browser-test-page.ts';
import { SANDBOX_KEYS } from './sandbox.ts';

/** Mounts the fields, and says on the page which button submits the form, each time that it is submitted. */
const PAGE_SCRIPT = `
const elements = window.Stripe('${SANDBOX_KEYS.publishableKey}').elements();
for (const [type, id] of [['cardNumber', 'number'], ['cardExpiry', 'expiry'], ['cardCvc', 'cvc']]) {
  const element = elements.create(type);
  element.mount('#' + id);
  element.on('ready', () => { document.getElementById(id).dataset.ready = 'yes'; });
}
document.getElementById('form').addEventListener('submit', (event) => {
  event.preventDefault();
  document.getElementById('result').textContent += event.submitter?.id + ' ';
});
`;

test.use({ script: PAGE_SCRIPT });

test('the Enter key in any card field submits the form by its first submit button', async ({ shop }) => {
  const { page, problems } = shop;
  await page.evaluate(
    `document.getElementById('form').insertAdjacentHTML('afterbegin', '<button type="button">Help</button>')`,
  );
  for (const field of Object.values(fields(page))) await field.press('Enter');
  assert.equal(await page.locator('#result').textContent(), 'pay pay pay ');
  assert.deepEqual(problems, []);
});

test('the Enter key in a card field submits nothing while the submit button is disabled, by itself or by its fieldset', async ({
  shop,
}) => {
  const { page } = shop;
  const { number } = fields(page);
  await page.evaluate(`document.getElementById('pay').disabled = true`);
  await number.press('Enter');
  await page.evaluate(`
    const pay = document.getElementById('pay');
    const fieldset = document.createElement('fieldset');
    fieldset.disabled = true;
    pay.disabled = false;
    pay.replaceWith(fieldset);
    fieldset.append(pay);
  `);
  await number.press('Enter');
  assert.equal(await page.locator('#result').textContent(), '');
  await page.evaluate(`document.querySelector('fieldset').disabled = false`);
  await number.press('Enter');
  assert.equal(await page.locator('#result').textContent(), 'pay ');
});

test('the Enter key in a card field submits a form that has no button', async ({ shop }) => {
  const { page } = shop;
  await page.evaluate(`document.getElementById('pay').remove()`);
  await fields(page).cvc.press('Enter');
  assert.equal(await page.locator('#result').textContent(), 'undefined ');
});
