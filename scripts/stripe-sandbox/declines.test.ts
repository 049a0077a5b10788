import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findTestCard } from './test-cards.ts';
import { cardError, startLoggedSandbox } from './test-sandbox.ts';

const payment = { amount: 72_625, currency: 'usd', confirm: true, off_session: true } as const;

/** A customer with a stored card, and how to charge it. */
async function startWithCard(t: TestContext, card = 'pm_card_visa') {
  const running = await startLoggedSandbox(t);
  const { stripe } = running;
  const customer = (await stripe.customers.create({})).id;
  const { id: payment_method } = await stripe.paymentMethods.attach(card, { customer });
  const charge = () => stripe.paymentIntents.create({ ...payment, customer, payment_method });
  return { ...running, customer, payment_method, charge };
}

/** Stripe's published test cards that cannot be stored: number, error code, decline code, advice. */
const DECLINED = [
  ['4000000000000002', 'card_declined', 'generic_decline', 'try_again_later'],
  ['4000000000009995', 'card_declined', 'insufficient_funds', 'try_again_later'],
  ['4000000000009987', 'card_declined', 'lost_card', 'do_not_try_again'],
  ['4000000000009979', 'card_declined', 'stolen_card', 'do_not_try_again'],
  ['4000000000006975', 'card_declined', 'card_velocity_exceeded', 'try_again_later'],
  ['4000000000000069', 'expired_card', undefined, 'do_not_try_again'],
  ['4000000000000127', 'incorrect_cvc', undefined, 'confirm_card_data'],
  ['4000000000000119', 'processing_error', undefined, 'try_again_later'],
] as const;

for (const [number, code, declineCode, advice] of DECLINED) {
  test(`the card ${number} is declined when it pays and when it is attached: ${declineCode ?? code}`, async (t) => {
    const { stripe, browser } = await startLoggedSandbox(t);
    const customer = (await stripe.customers.create({})).id;
    const card = findTestCard(number)?.paymentMethodId ?? '';
    const refused = await cardError(stripe.paymentMethods.attach(card, { customer }));
    // The SDK has '' for an error without a decline code.
    assert.deepEqual([refused.code, refused.decline_code], [code, declineCode ?? '']);
    const intent = await stripe.paymentIntents.create({ amount: 72_100, currency: 'usd', customer });
    const { error } = (await browser.pay(intent, number)).body;
    assert.deepEqual([error.code, error.decline_code, error.advice_code], [code, declineCode, advice]);
    const { last_payment_error } = await stripe.paymentIntents.retrieve(intent.id);
    assert.equal(last_payment_error?.advice_code, advice);
    const { outcome } = await stripe.charges.retrieve(error.charge);
    assert.deepEqual(
      [outcome?.type, outcome?.network_status, outcome?.reason, outcome?.advice_code],
      ['issuer_declined', 'declined_by_network', declineCode ?? code, advice],
    );
    assert.equal(outcome?.network_decline_code, last_payment_error?.network_decline_code);
  });
}

test('a card that can be stored is declined at every charge', async (t) => {
  const { charge, payment_method } = await startWithCard(t, 'pm_card_chargeCustomerFail');
  for (const _attempt of [1, 2]) {
    const error = await cardError(charge());
    assert.deepEqual([error.code, error.decline_code], ['card_declined', 'generic_decline']);
    assert.equal(error.payment_method?.id, payment_method);
    assert.match(String(error.charge), /^ch_/);
  }
});

test('a card with insufficient funds is authenticated and declined; off-session it is only declined', async (t) => {
  const { stripe, browser } = await startLoggedSandbox(t);
  const customer = (await stripe.customers.create({})).id;
  const setup = await stripe.setupIntents.create({ customer });
  await browser.setUp(setup, '4000008260003178');
  assert.equal((await browser.authenticate(setup)).body.status, 'succeeded');
  const { payment_method } = await stripe.setupIntents.retrieve(setup.id);
  const stored = { customer, payment_method: String(payment_method) };
  const error = await cardError(stripe.paymentIntents.create({ ...payment, ...stored }));
  assert.equal(error.decline_code, 'insufficient_funds');
  const intent = await stripe.paymentIntents.create({ amount: 72_625, currency: 'usd', ...stored });
  assert.equal((await stripe.paymentIntents.confirm(intent.id)).status, 'requires_action');
  const declined = (await browser.authenticate(intent)).body;
  assert.equal(declined.last_payment_error.decline_code, 'insufficient_funds');
});

test('a test can order declines of the next charges, with the advice codes that it wants', async (t) => {
  const { sandbox, stripe, customer, payment_method, charge } = await startWithCard(t);
  sandbox.bank.declineNextCharge(customer, 'do_not_honor');
  sandbox.bank.declineNextCharge(customer, 'revocation_of_authorization', { adviceCode: null });
  sandbox.bank.declineNextCharge(payment_method, 'insufficient_funds', {
    adviceCode: 'do_not_try_again',
    networkAdviceCode: '03',
  });
  const first = await cardError(charge());
  assert.deepEqual(
    [first.decline_code, first.advice_code, first.network_advice_code, first.network_decline_code],
    ['insufficient_funds', 'do_not_try_again', '03', '51'],
  );
  const { outcome } = await stripe.charges.retrieve(String(first.charge));
  assert.deepEqual([outcome?.advice_code, outcome?.network_advice_code], ['do_not_try_again', '03']);
  assert.equal((await cardError(charge())).decline_code, 'do_not_honor');
  const third = await cardError(charge());
  assert.deepEqual([third.decline_code, third.advice_code], ['revocation_of_authorization', undefined]);
  const paid = await charge();
  const { outcome: approval } = await stripe.charges.retrieve(String(paid.latest_charge));
  assert.deepEqual([approval?.type, approval?.network_status], ['authorized', 'approved_by_network']);
  assert.throws(() => sandbox.bank.declineNextCharge(customer, 'no_such_code'), /no decline code/);
});
