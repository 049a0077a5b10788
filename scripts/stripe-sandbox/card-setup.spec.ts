import assert from 'node:assert/strict';
import { fillCard, result, type Shop, test } from './browser-test-page.ts';
import { SANDBOX_KEYS } from './sandbox.ts';

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

test.use({ script: PAGE_SCRIPT });

async function openSetup(shop: Shop) {
  const customer = (await shop.stripe.customers.create({})).id;
  const setup = await shop.stripe.setupIntents.create({ customer, usage: 'off_session' });
  const secret = JSON.stringify(setup.client_secret);
  return { ...shop, customer, setup, secret };
}

test('another card is stored, after 3-D Secure if the card requires it', async ({ shop }) => {
  const { page, stripe, customer, secret, problems } = await openSetup(shop);
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

test('a declined card is reported as declined, and a setup in progress continues', async ({ shop }) => {
  const { page, setup, stripe, secret } = await openSetup(shop);
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
