import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CARD_WORDS } from './cards.ts';
import { storeCard, stripeError } from './contract.ts';
import type { Sandbox } from './sandbox.ts';
import { paid, startLogged } from './test-sandbox.ts';

const read = async ({ url }: Sandbox): Promise<string> => (await fetch(url)).text();

/** Presses a button of the page. */
const press = ({ url }: Sandbox, values: Record<string, string>, origin = url) =>
  fetch(`${url}/sandbox/bank`, {
    method: 'POST',
    headers: { Origin: origin },
    body: new URLSearchParams(values),
    redirect: 'manual',
  });

// https://docs.stripe.com/testing
test('the page tells of every test card what it does, and escapes what it shows', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  await stripe.customers.create({ name: '<img src=x onerror=alert(1)>' });
  const page = await read(sandbox);
  assert.ok(page.includes('&#60;img src=x onerror=alert(1)&#62;') && !page.includes('<img'));
  for (const [number, meaning] of CARD_WORDS)
    assert.ok(page.includes(`<td>${number}</td><td>${meaning}</td>`), number);
});

// https://docs.stripe.com/testing#disputes and https://docs.stripe.com/testing#refunds
test('the page lists the objects, and its buttons do with them what the bank can do', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  const { paymentIntents, refunds, disputes } = stripe;
  const { id: intent, latest_charge } = await paymentIntents.create(paid);
  const pending = await paymentIntents.create({ ...paid, payment_method: 'pm_card_pendingRefund' });
  const refund = await refunds.create({ payment_intent: pending.id, amount: 100 });
  const setup = await stripe.setupIntents.create();
  const charge = String(latest_charge);
  const before = await read(sandbox);
  const row = [charge, '721.00 USD', 'succeeded', intent, ''].map((cell) => `<td>${cell}</td>`).join('');
  for (const shown of [`${row}<td><form`, refund.id, setup.id, 'let it succeed'])
    assert.ok(before.includes(shown), shown);
  const act = async (name: string, id: string) => (await press(sandbox, { act: name, id })).status;
  assert.equal(await act('dispute half of it', charge), 303);
  const [dispute] = (await disputes.list({ payment_intent: intent })).data;
  assert.ok(dispute && (await read(sandbox)).includes(`name="id" value="${dispute.id}"`));
  assert.equal(dispute.amount, 36_050);
  await act('won', dispute.id);
  assert.equal((await disputes.retrieve(dispute.id)).status, 'won');
  await act('let it succeed', refund.id);
  assert.equal((await refunds.retrieve(refund.id)).status, 'succeeded');
  assert.equal(await act('let it succeed', refund.id), 409);
  assert.equal(await act('constructor', refund.id), 409);
  const waiting = await refunds.create({ payment_intent: pending.id, amount: 100 });
  await act('cancel', waiting.id);
  assert.equal((await refunds.retrieve(waiting.id)).status, 'canceled');
  await act('inquiry', String(pending.latest_charge));
  const [inquiry] = (await disputes.list({ payment_intent: pending.id })).data;
  assert.equal(inquiry?.status, 'warning_needs_response');
  const { id: customer } = await stripe.customers.create({});
  await act('delete', customer);
  assert.equal((await stripe.customers.retrieve(customer)).deleted, true);
  assert.equal(await act('delete', customer), 409);
});

// https://docs.stripe.com/declines/codes
test('its form declines or delays the next charge of a customer; a form of another page cannot', async (t) => {
  const running = await startLogged(t);
  const { sandbox } = running;
  const { customer, confirm } = await storeCard(running);
  const order = { act: 'decline the next charge', id: customer, code: 'lost_card' };
  assert.equal((await press(sandbox, order, 'http://localhost:3000')).status, 403);
  assert.equal((await press(sandbox, order)).status, 303);
  await press(sandbox, { ...order, code: 'processing' });
  assert.ok((await read(sandbox)).includes('<td>lost_card, processing<form'));
  assert.equal((await stripeError(confirm())).decline_code, 'lost_card');
  const { id, status } = await confirm();
  assert.equal(status, 'processing');
  await press(sandbox, { act: 'let it succeed', id });
  assert.equal((await running.stripe.paymentIntents.retrieve(id)).status, 'succeeded');
});
