import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sandbox } from './sandbox.ts';
import { cardError, startLoggedSandbox } from './test-sandbox.ts';

const payment = { amount: 72_100, currency: 'usd', confirm: true } as const;

const read = async ({ url }: Sandbox): Promise<string> => (await fetch(url)).text();

/** Presses a button of the page. */
const press = ({ url }: Sandbox, values: Record<string, string>, origin = url) =>
  fetch(`${url}/sandbox/bank`, {
    method: 'POST',
    headers: { Origin: origin },
    body: new URLSearchParams(values),
    redirect: 'manual',
  });

test('the page of the sandbox escapes what it shows', async (t) => {
  const { stripe, sandbox } = await startLoggedSandbox(t);
  await stripe.customers.create({ name: '<img src=x onerror=alert(1)>' });
  const page = await read(sandbox);
  assert.ok(page.includes('&lt;img src=x onerror=alert(1)&gt;') && !page.includes('<img'));
  assert.ok(page.includes('4242 4242 4242 4242'));
});

test('the page of the sandbox lists the charges, and why one failed', async (t) => {
  const { stripe, sandbox, browser } = await startLoggedSandbox(t);
  const intent = await stripe.paymentIntents.create({ amount: 72_100, currency: 'usd' });
  await browser.pay(intent, '4000000000000069');
  const { data } = await stripe.charges.list();
  const row = [data[0]?.id, '721.00 USD', 'failed', intent.id, 'expired_card'];
  assert.ok((await read(sandbox)).includes(`<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}`));
});

test('the buttons of the page open and close a dispute, and settle a refund', async (t) => {
  const { stripe, sandbox } = await startLoggedSandbox(t);
  const disputed = await stripe.paymentIntents.create({ ...payment, payment_method: 'pm_card_visa' });
  const refunded = await stripe.paymentIntents.create({
    ...payment,
    payment_method: 'pm_card_pendingRefund',
  });
  const refund = await stripe.refunds.create({ payment_intent: refunded.id });
  const setup = await stripe.setupIntents.create();
  const charge = String(disputed.latest_charge);
  const before = await read(sandbox);
  for (const shown of [refund.id, setup.id, `name="id" value="${charge}"`, 'Let it succeed']) {
    assert.ok(before.includes(shown), shown);
  }
  assert.equal((await press(sandbox, { act: 'dispute', id: charge })).status, 303);
  const [dispute] = (await stripe.disputes.list({ charge })).data;
  assert.equal(dispute?.status, 'needs_response');
  assert.ok((await read(sandbox)).includes(`name="id" value="${dispute.id}"`));
  await press(sandbox, { act: 'won', id: dispute.id });
  assert.equal((await stripe.disputes.retrieve(dispute.id)).status, 'won');
  await press(sandbox, { act: 'settle', id: refund.id });
  assert.equal((await stripe.refunds.retrieve(refund.id)).status, 'succeeded');
  assert.equal((await press(sandbox, { act: 'settle', id: refund.id })).status, 409);
  assert.equal((await press(sandbox, { act: 'rob', id: refund.id })).status, 400);
});

test('the form of the page has the next charge of a customer declined; a form of another page cannot', async (t) => {
  const { stripe, sandbox } = await startLoggedSandbox(t);
  const customer = (await stripe.customers.create({ name: 'Ada Long' })).id;
  const { id: payment_method } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
  const order = { act: 'decline', id: customer, code: 'lost_card' };
  assert.equal((await press(sandbox, order, 'http://localhost:3000')).status, 403);
  assert.equal((await press(sandbox, order)).status, 303);
  assert.ok((await read(sandbox)).includes('<td>lost_card</td>'));
  const charge = () =>
    stripe.paymentIntents.create({ ...payment, customer, payment_method, off_session: true });
  assert.equal((await cardError(charge())).decline_code, 'lost_card');
  assert.equal((await charge()).status, 'succeeded');
});
