import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { listen, payment, startLogged } from './test-sandbox.ts';

// https://docs.stripe.com/api/events/types and https://docs.stripe.com/webhooks/signature
test('R4.6 events are signed and tell what happened, in business time', async (t) => {
  const clock = { now: () => Date.UTC(2025, 11, 21) };
  const { stripe, sandbox } = await startLogged(t, { clock });
  const { url, next } = await listen(t, stripe);
  sandbox.setWebhookUrl(url);
  const { id } = await stripe.paymentIntents.create(payment);
  const event = await next();
  assert.deepEqual([event.type, event.created], ['payment_intent.created', clock.now() / 1000]);
  const confirm = (payment_method: string) => stripe.paymentIntents.confirm(id, { payment_method });
  await assert.rejects(confirm('pm_card_visa_chargeDeclined'));
  const failed = await next();
  assert.ok(failed.type === 'payment_intent.payment_failed');
  assert.equal(failed.data.object.last_payment_error?.code, 'card_declined');
  await confirm('pm_card_visa');
  const succeeded = await next();
  assert.ok(succeeded.type === 'payment_intent.succeeded');
  assert.equal(succeeded.data.object.amount_received, 72_100);
});

// https://docs.stripe.com/api/events
test('events are listed for thirty days', async (t) => {
  let nowMs = Date.UTC(2025, 11, 1);
  const { stripe } = await startLogged(t, { clock: { now: () => nowMs } });
  const { id } = await stripe.customers.create({});
  nowMs += 30 * 24 * 60 * 60 * 1000;
  const listed = async () =>
    (await stripe.events.list()).data.map(({ data }) => 'id' in data.object && data.object.id);
  assert.deepEqual(await listed(), [id]);
  nowMs += 1000;
  assert.deepEqual(await listed(), []);
});

// https://docs.stripe.com/webhooks#automatic-retries
test('R4.6 an event that was not accepted is sent again, until it is or the sandbox is closed', async (t) => {
  const { stripe, sandbox, lines } = await startLogged(t);
  const { url, next } = await listen(t, stripe, [500, 302]);
  sandbox.setWebhookUrl(url);
  await stripe.customers.create({});
  const ids = [(await next()).id, (await next()).id, (await next()).id];
  assert.equal(new Set(ids).size, 1);
  assert.ok(lines.some((line) => /^webhook customer\.created \S+ -> 500$/.test(line)));
  const patient = await startLogged(t, { redeliveryDelaysMs: [3_600_000] });
  const refusing = await listen(t, patient.stripe, [500]);
  patient.sandbox.setWebhookUrl(refusing.url);
  await patient.stripe.customers.create({});
  await refusing.next();
  await patient.sandbox.eventsAttempted();
  assert.ok(patient.lines.some((line) => /^webhook customer\.created \S+ -> 500$/.test(line)));
  await patient.sandbox.close();
});

// https://docs.stripe.com/webhooks#event-ordering
test('R4.6 a test can have an event lost, doubled or overtaken', async (t) => {
  const events = new EventEmitter();
  const copies = [0, 2, once(events, 'overtaken').then(() => 1), 1];
  const { stripe, sandbox } = await startLogged(t, { deliver: () => copies.shift() ?? 1 });
  const { url, next } = await listen(t, stripe);
  sandbox.setWebhookUrl(url);
  const nextName = async () => {
    const { type, data } = await next();
    return type === 'customer.created' ? data.object.name : type;
  };
  for (const name of ['lost', 'doubled']) await stripe.customers.create({ name });
  assert.deepEqual([await nextName(), await nextName()], ['doubled', 'doubled']);
  for (const name of ['late', 'overtaking']) await stripe.customers.create({ name });
  assert.equal(await nextName(), 'overtaking');
  let areAttempted = false;
  const attempted = sandbox.eventsAttempted().then(() => {
    areAttempted = true;
  });
  await setImmediate();
  assert.ok(!areAttempted);
  events.emit('overtaken');
  assert.equal(await nextName(), 'late');
  await attempted;
});
