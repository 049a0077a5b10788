import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { Browser } from '@playwright/test';
import { fillCard, launchBrowser, openPage, result } from './browser-test-page.ts';
import { SANDBOX_KEYS } from './sandbox.ts';

let browser: Browser;

before(async () => {
  browser = await launchBrowser();
});

after(() => browser.close());

/** Stores the card in the fields, or an earlier card, with the setup intent whose secret is given. */
const PAGE_SCRIPT = `
const stripe = window.Stripe('${SANDBOX_KEYS.publishableKey}');
const elements = stripe.elements();
for (const [type, id] of [['cardNumber', 'number'], ['cardExpiry', 'expiry'], ['cardCvc', 'cvc']]) {
  const element = elements.create(type);
  element.mount('#' + id);
  element.on('ready', () => { document.getElementById(id).dataset.ready = 'yes'; });
}
const show = (done) => {
  document.getElementById('result').textContent = done.error ? done.error.type + ': ' + done.error.message : done.setupIntent.status;
};
window.setUp = (secret) => {
  const payment_method = { card: elements.getElement('cardNumber'), billing_details: { name: 'Ada Long' } };
  stripe.confirmCardSetup(secret, { payment_method }).then(show);
};
window.beginSetUp = (secret, payment_method) =>
  stripe.confirmCardSetup(secret, { payment_method }, { handleActions: false }).then((done) => done.setupIntent.status);
window.goOn = (clientSecret) => { stripe.handleNextAction({ clientSecret }).then(show); };
`;

async function openSetup(t: TestContext) {
  const opened = await openPage(t, browser, PAGE_SCRIPT);
  const customer = (await opened.stripe.customers.create({})).id;
  const setup = await opened.stripe.setupIntents.create({ customer, usage: 'off_session' });
  const secret = JSON.stringify(setup.client_secret);
  return { ...opened, customer, setup, secret };
}

test('another card is stored, after 3-D Secure if the card requires it', async (t) => {
  const { page, stripe, customer, secret, problems } = await openSetup(t);
  await fillCard(page, '4000002500003155');
  await page.evaluate(`setUp(${secret})`);
  const dialog = page.getByRole('dialog', { name: '3-D Secure test challenge' });
  await dialog.getByText('approve that the card is stored').waitFor();
  await page.getByRole('button', { name: 'Fail authentication' }).click();
  await result(page, 'invalid_request_error: We are unable to authenticate your payment method.');
  await page.evaluate(`setUp(${secret})`);
  await page.getByRole('button', { name: 'Complete authentication' }).click();
  await result(page, 'succeeded');
  const [method] = (await stripe.paymentMethods.list({ customer })).data;
  assert.deepEqual([method?.card?.last4, method?.billing_details.name], ['3155', 'Ada Long']);
  assert.deepEqual(problems, []);
});

test('a declined card is reported as declined, and a setup in progress continues', async (t) => {
  const { page, setup, stripe, secret } = await openSetup(t);
  await fillCard(page, '4000000000000069');
  await page.evaluate(`setUp(${secret})`);
  await result(page, 'card_error: Your card has expired.');
  const begun = page.evaluate(`beginSetUp(${secret}, 'pm_card_authenticationRequired')`);
  assert.equal(await begun, 'requires_action');
  await page.evaluate(`goOn(${secret})`);
  await page.getByRole('button', { name: 'Complete authentication' }).click();
  await result(page, 'succeeded');
  assert.equal((await stripe.setupIntents.retrieve(setup.id)).status, 'succeeded');
});
