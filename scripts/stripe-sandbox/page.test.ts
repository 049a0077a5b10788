import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CARD_WORDS } from './cards.ts';
import type { Sandbox } from './sandbox.ts';
import { paid, startLogged, storeCard, stripeError } from './test-sandbox.ts';

const read = async ({ url }: Sandbox, path = ''): Promise<string> => (await fetch(`${url}${path}`)).text();

/** Presses a button of the page. */
const press = ({ url }: Sandbox, values: Record<string, string>, origin = url) =>
  fetch(`${url}/sandbox/bank`, {
    method: 'POST',
    headers: { Origin: origin },
    body: new URLSearchParams(values),
    redirect: 'manual',
  });

// https://docs.stripe.com/testing
test('README and page tell of every test card what it does; the page escapes what it shows; the example room opens', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  await stripe.customers.create({ name: '<img src=x onerror=alert(1)>' });
  const page = await read(sandbox);
  assert.ok(page.includes('&#60;img src=x onerror=alert(1)&#62;') && !page.includes('<img'));
  assert.match(await read(sandbox, '/sandbox/room'), /<h1>Example room<\/h1>/);
  const readme = await readFile(new URL('./README.md', import.meta.url), 'utf8');
  for (const [number, meaning] of CARD_WORDS) {
    assert.ok(page.includes(`<td>${number}</td><td>${meaning}</td>`), number);
    assert.ok(readme.includes(`| ${number} | ${meaning} |`), `| ${number} | ${meaning} |`);
  }
});

// https://docs.stripe.com/testing#disputes and https://docs.stripe.com/testing#refunds
test('the page lists the objects, and its buttons open and close a dispute, settle a refund and fill a wallet', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  const { id: intent, latest_charge } = await stripe.paymentIntents.create(paid);
  const pending = await stripe.paymentIntents.create({ ...paid, payment_method: 'pm_card_pendingRefund' });
  const refund = await stripe.refunds.create({ payment_intent: pending.id });
  const setup = await stripe.setupIntents.create();
  const charge = String(latest_charge);
  const before = await read(sandbox);
  const row = [charge, '721.00 USD', 'succeeded', intent, ''].map((cell) => `<td>${cell}</td>`);
  for (const shown of [row.join(''), refund.id, setup.id, 'Let it succeed'])
    assert.ok(before.includes(shown));
  assert.equal((await press(sandbox, { act: 'dispute', id: charge })).status, 303);
  const [dispute] = (await stripe.disputes.list({ payment_intent: intent })).data;
  assert.ok(dispute && (await read(sandbox)).includes(`name="id" value="${dispute.id}"`));
  await press(sandbox, { act: 'won', id: dispute.id });
  assert.equal((await stripe.disputes.retrieve(dispute.id)).status, 'won');
  await press(sandbox, { act: 'settle', id: refund.id });
  assert.equal((await stripe.refunds.retrieve(refund.id)).status, 'succeeded');
  assert.equal((await press(sandbox, { act: 'settle', id: refund.id })).status, 409);
  assert.equal((await press(sandbox, { act: 'rob', id: refund.id })).status, 400);
  assert.equal((await press(sandbox, { act: 'wallet', card: '4242424242424242' })).status, 303);
  const script = await (await fetch(`${sandbox.url}/stripe.js`)).text();
  assert.ok(script.startsWith('window.sandboxWallet ??= "4242424242424242";'));
});

// https://docs.stripe.com/declines/codes
test('its form declines the next charge of a customer; a form of another page cannot', async (t) => {
  const running = await startLogged(t);
  const { sandbox } = running;
  const { customer, charge } = await storeCard(running, 'pm_card_visa');
  const order = { act: 'decline', id: customer, code: 'lost_card' };
  assert.equal((await press(sandbox, order, 'http://localhost:3000')).status, 403);
  assert.equal((await press(sandbox, order)).status, 303);
  assert.ok((await read(sandbox)).includes('<td>lost_card</td>'));
  assert.equal((await stripeError(charge())).decline_code, 'lost_card');
  assert.equal((await charge()).status, 'succeeded');
});
