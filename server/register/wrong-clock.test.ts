import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const { balance } = edition.facts;
const MINUTE_MS = 60_000;

test('R8 a machine whose clock differs from Stripe’s by more than ten minutes charges nothing, and says so', async (t) => {
  const { register, tell, at, work, moveTo, charged, payments, log } = await startMailing(t);
  const id = await register();
  await tell(id);
  await at(new Date(balance.noticeAt));
  moveTo(new Date(balance.chargeAt));
  const { now } = Date;
  const clock = t.mock.method(Date, 'now', () => now() - 11 * MINUTE_MS);
  await payments.findRegistration(id);
  clock.mock.restore();
  assert.ok(Math.abs(payments.clockAheadS() + 11 * 60) <= 5, String(payments.clockAheadS()));
  await work({ register: { ...payments, clockAheadS: () => -601 } });
  assert.deepEqual(await charged(id), []);
  assert.match(log.text(), /"level":"error".*"clockAheadS":-601.*no money moves until it is right/);
  await work();
  assert.deepEqual(await charged(id), [edition.facts.prices.balanceCents]);
});
