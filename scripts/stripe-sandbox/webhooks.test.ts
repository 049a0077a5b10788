import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startTestSandbox } from './sandbox.ts';
import { startWebhookEndpoint, verifyEvent } from './test-sandbox.ts';

const payment = { amount: 72_100, currency: 'usd' } as const;

test('R4.6 events are signed and tell what happened', async (t) => {
  const endpoint = await startWebhookEndpoint(t);
  const { stripe } = await startTestSandbox(t, { webhookUrl: endpoint.url });
  const { id } = await stripe.paymentIntents.create(payment, { idempotencyKey: 'first' });
  const created = verifyEvent(stripe, await endpoint.next());
  assert.equal(created.type, 'payment_intent.created');
  assert.equal(created.request?.idempotency_key, 'first');
  await assert.rejects(() =>
    stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa_chargeDeclined' }),
  );
  const failed = verifyEvent(stripe, await endpoint.next());
  assert.ok(failed.type === 'payment_intent.payment_failed');
  assert.equal(failed.data.object.last_payment_error?.code, 'card_declined');
  await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  const succeeded = verifyEvent(stripe, await endpoint.next());
  assert.ok(succeeded.type === 'payment_intent.succeeded');
  assert.deepEqual([succeeded.data.object.id, succeeded.data.object.amount_received], [id, 72_100]);
  const other = await stripe.paymentIntents.create(payment);
  await endpoint.next();
  await stripe.paymentIntents.cancel(other.id);
  assert.equal(verifyEvent(stripe, await endpoint.next()).type, 'payment_intent.canceled');
});

test('R4.6 an event has the business time, its signature the real time', async (t) => {
  const endpoint = await startWebhookEndpoint(t);
  const clock = { now: () => Date.UTC(2025, 11, 21) };
  const { stripe } = await startTestSandbox(t, { webhookUrl: endpoint.url, clock });
  await stripe.customers.create({});
  const { created } = verifyEvent(stripe, await endpoint.next());
  assert.equal(created, Date.UTC(2025, 11, 21) / 1000);
});

test('R4.6 an event that was not accepted is sent again, with a new signature, until it is', async (t) => {
  const endpoint = await startWebhookEndpoint(t, [500, 302]);
  const { stripe } = await startTestSandbox(t, { webhookUrl: endpoint.url });
  await stripe.customers.create({});
  const attempts = [await endpoint.next(), await endpoint.next(), await endpoint.next()];
  const ids = attempts.map((delivery) => verifyEvent(stripe, delivery).id);
  assert.equal(new Set(ids).size, 1);
});

test('R4.6 an event waits for an endpoint that is not there yet', async (t) => {
  const steps = new EventEmitter();
  const retried = once(steps, 'retried');
  const { stripe, sandbox } = await startTestSandbox(t, {
    webhookUrl: 'http://127.0.0.1:1/',
    log: (line) => {
      if (line.includes('attempt 2')) steps.emit('retried');
    },
  });
  await stripe.customers.create({});
  await retried;
  const endpoint = await startWebhookEndpoint(t);
  sandbox.setWebhookUrl(endpoint.url);
  assert.equal(verifyEvent(stripe, await endpoint.next()).type, 'customer.created');
});

test('R4.6 a test can have an event lost, doubled or overtaken', async (t) => {
  const endpoint = await startWebhookEndpoint(t);
  const events = new EventEmitter();
  const late = once(events, 'overtaken').then(() => 1);
  const copies = [0, 2, late, 1];
  const { stripe } = await startTestSandbox(t, {
    webhookUrl: endpoint.url,
    deliver: () => copies.shift() ?? 1,
  });
  const nextName = async () => {
    const { type, data } = verifyEvent(stripe, await endpoint.next());
    return type === 'customer.created' ? data.object.name : type;
  };
  for (const name of ['lost', 'doubled']) await stripe.customers.create({ name });
  assert.deepEqual([await nextName(), await nextName()], ['doubled', 'doubled']);
  for (const name of ['late', 'overtaking']) await stripe.customers.create({ name });
  assert.equal(await nextName(), 'overtaking');
  events.emit('overtaken');
  assert.equal(await nextName(), 'late');
});

test('closing the sandbox gives up deliveries that wait for a retry', async (t) => {
  const endpoint = await startWebhookEndpoint(t, [500]);
  const attempts = new EventEmitter();
  const lines: string[] = [];
  const { stripe, sandbox } = await startTestSandbox(t, {
    webhookUrl: endpoint.url,
    redeliveryDelaysMs: [3_600_000],
    log: (line) => {
      if (!line.startsWith('webhook ')) return;
      lines.push(line);
      attempts.emit('answered');
    },
  });
  const answered = once(attempts, 'answered');
  await stripe.customers.create({});
  await answered;
  const closed = sandbox.close().then(() => 'closed');
  assert.equal(await Promise.race([closed, delay(60_000, 'still waits', { ref: false })]), 'closed');
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^webhook customer\.created \S+ -> 500$/);
});
