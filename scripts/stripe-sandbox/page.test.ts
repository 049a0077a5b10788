import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CARD_WORDS } from './cards.ts';
import { storeCard, stripeError } from './contract-calls.ts';
import type { Sandbox } from './sandbox.ts';
import { chargeAbsent, paid, payment, startLogged } from './test-sandbox.ts';

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
test('README and page tell of every test card what it does; the page escapes what it shows', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  await stripe.customers.create({ name: '<img src=x onerror=alert(1)>' });
  const page = await read(sandbox);
  assert.ok(page.includes('&#60;img src=x onerror=alert(1)&#62;') && !page.includes('<img'));
  const readme = await readFile(new URL('./README.md', import.meta.url), 'utf8');
  for (const [number, meaning] of CARD_WORDS) {
    assert.ok(page.includes(`<td>${number}</td><td>${meaning}</td>`), number);
    assert.ok(readme.includes(`| ${number} | ${meaning} |`), `| ${number} | ${meaning} |`);
  }
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
  const row = [charge, '721.00 USD', 'succeeded', intent, ''].map((cell) => `<td>${cell}</td>`);
  for (const shown of [row.join('').replace(/<.td>$/, ''), refund.id, setup.id, 'Let it succeed'])
    assert.ok(before.includes(shown), shown);
  const act = async (name: string, id = '') => (await press(sandbox, { act: name, id })).status;
  assert.equal(await act('half', charge), 303);
  const [dispute] = (await disputes.list({ payment_intent: intent })).data;
  assert.ok(dispute && (await read(sandbox)).includes(`name="id" value="${dispute.id}"`));
  assert.equal(dispute.amount, 36_050);
  await act('won', dispute.id);
  assert.equal((await disputes.retrieve(dispute.id)).status, 'won');
  await act('settle', refund.id);
  assert.equal((await refunds.retrieve(refund.id)).status, 'succeeded');
  assert.equal(await act('settle', refund.id), 409);
  assert.equal(await act('rob', refund.id), 400);
  await act('no-funds');
  assert.ok((await read(sandbox)).includes('Let refunds succeed'));
  const waiting = await refunds.create({ payment_intent: pending.id, amount: 100 });
  await act('cancel', waiting.id);
  assert.equal((await refunds.retrieve(waiting.id)).status, 'canceled');
  await act('no-balance');
  const { id: late, latest_charge: unsettled } = await paymentIntents.create(paid);
  assert.equal((await stripe.charges.retrieve(String(unsettled))).balance_transaction, null);
  await act('balance');
  assert.ok((await stripe.charges.retrieve(String(unsettled))).balance_transaction);
  await act('inquiry', String(unsettled));
  assert.equal((await disputes.list({ payment_intent: late })).data[0]?.status, 'warning_needs_response');
  const open = await paymentIntents.create(payment);
  await act('last-attempt', open.id);
  const declined = { payment_method: 'pm_card_visa_chargeDeclined' };
  assert.equal(
    (await stripeError(paymentIntents.confirm(open.id, declined))).payment_intent?.status,
    'canceled',
  );
  const { id: customer } = await stripe.customers.create({});
  await act('delete', customer);
  assert.equal((await stripe.customers.retrieve(customer)).deleted, true);
  await act('rate-limit');
  assert.equal((await stripeError(stripe.customers.list())).code, 'rate_limit');
});

// https://docs.stripe.com/declines/codes
test('its form declines or delays the next charge of a customer; a form of another page cannot', async (t) => {
  const running = await startLogged(t);
  const { sandbox } = running;
  const stored = await storeCard(running);
  const { customer } = stored;
  const charge = () => chargeAbsent(running.stripe, stored);
  const order = { act: 'decline', id: customer, code: 'lost_card' };
  assert.equal((await press(sandbox, order, 'http://localhost:3000')).status, 403);
  assert.equal((await press(sandbox, order)).status, 303);
  await press(sandbox, { ...order, code: 'processing' });
  assert.ok((await read(sandbox)).includes('<td>lost_card, processing</td>'));
  assert.equal((await stripeError(charge())).decline_code, 'lost_card');
  const { id, status } = await charge();
  assert.equal(status, 'processing');
  await press(sandbox, { act: 'pay', id });
  assert.equal((await running.stripe.paymentIntents.retrieve(id)).status, 'succeeded');
});
