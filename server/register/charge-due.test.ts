import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Registry } from 'prom-client';
import { addChargeMetrics, addFoundMetrics } from '#server/ops/walk-metrics.ts';
import { stateOf } from '#server/payments/registration-state.ts';
import { type Charges, DUE, daysAfter, startCharges } from '#server/testing/test-charges.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { noRefunds } from '#server/testing/test-register.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { readLastWholeWalk } from './last-whole-walk.ts';
import { createReadModel } from './read-model.ts';
import { runDueWalk } from './walker.ts';

const BALANCE = 72_625;
const QUARTER_MS = 15 * 60 * 1000;

/** Registrations, and a worker's walk through them on a real Redis. */
async function startWalking(t: TestContext, options: Parameters<typeof startCharges>[1] = {}) {
  const charges = await startCharges(t, options);
  const redis = await testRedis(t);
  const log = createTestLog();
  const { queue, connection } = openTestQueue(t, redis, { log });
  await queue.bullQueue.waitUntilReady();
  const metrics = new Registry();
  const { now } = charges;
  const readModel = createReadModel(connection, now);
  const watcher = addChargeMetrics(metrics);
  addFoundMetrics(metrics, { lastWhole: () => readLastWholeWalk(connection) });
  const walk = (asked: boolean, register: Charges['payments'] = charges.payments) =>
    runDueWalk(asked, queue.bullQueue, {
      ...{ redis: connection, register, readModel, registration: 'auto', charges: watcher },
      refunds: noRefunds,
      ...{ logger: log.logger, clock: { now } },
    });
  const shown = async () =>
    (await readModel.list(edition)).map((registration) => stateOf(registration, now()));
  return { ...charges, redis: connection, log, metrics, readModel, walk, shown };
}

describe('the charges of a walk', () => {
  test('charge everybody who was notified, at the due moment, and are shown at once', async (t) => {
    const { register, tell, moveTo, walk, charged, shown, metrics } = await startWalking(t);
    const told = await register({ email: 'told@example.org' });
    const untold = await register({ email: 'untold@example.org' });
    await tell(told);
    await walk(true);
    moveTo(DUE);
    await walk(false);
    assert.deepEqual([await charged(told), await charged(untold)], [[BALANCE], []]);
    assert.deepEqual((await shown()).sort(), ['due', 'settled']);
    const said = await metrics.metrics();
    assert.match(said, /^balances_charged_total 1$/m);
    assert.match(said, /^balances_overdue\{reason="no-notice"\} 1$/m);
    assert.match(said, /^registrations\{edition="january-2026",state="settled"\} 1$/m);
  });

  test('are made once, even if Redis loses everything in the middle of them', async (t) => {
    const { register, tell, moveTo, walk, charged, redis, payments } = await startWalking(t);
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => register({ email: `${name}@example.org` })));
    for (const id of ids) await tell(id);
    moveTo(DUE);
    let count = 0;
    const losing: Charges['payments'] = {
      ...payments,
      async chargeBalance(id, at) {
        count += 1;
        if (count === 2) await redis.flushall();
        return payments.chargeBalance(id, at);
      },
    };
    await walk(true, losing);
    await redis.flushall();
    await walk(false);
    for (const id of ids) assert.deepEqual(await charged(id), [BALANCE]);
  });

  test('that fail stop no others, and are retried a quarter of an hour later', async (t) => {
    const { register, tell, moveTo, now, walk, charged, payments, log, metrics } = await startWalking(t);
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => register({ email: `${name}@example.org` })));
    for (const id of ids) await tell(id);
    moveTo(DUE);
    const [failing, ...others] = ids;
    assert.ok(failing);
    await walk(false, {
      ...payments,
      chargeBalance: (id, at) =>
        id === failing ? Promise.reject(new Error('Stripe is down')) : payments.chargeBalance(id, at),
    });
    for (const id of others) assert.deepEqual(await charged(id), [BALANCE]);
    assert.deepEqual(await charged(failing), []);
    assert.match(log.text(), new RegExp(`"level":"error".*${failing}.*A balance could not be charged`));
    assert.match(await metrics.metrics(), /^balances_overdue\{reason="waiting"\} 1$/m);
    moveTo(new Date(now().getTime() + QUARTER_MS));
    await walk(false);
    assert.deepEqual(await charged(failing), [BALANCE]);
  });

  test('end when Stripe is down for all: the rest is left to the next walk', async (t) => {
    const { register, tell, moveTo, now, walk, charged, payments, log } = await startWalking(t);
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1)
      ids.push(await register({ email: `wilma-${count}@example.org` }));
    for (const id of ids) await tell(id);
    moveTo(DUE);
    let asked = 0;
    await walk(false, {
      ...payments,
      async chargeBalance() {
        asked += 1;
        throw new Error('Stripe is down');
      },
    });
    assert.ok(asked < 17, `${asked} were requested`);
    assert.match(log.text(), /Stripe fails: balances are left to the next walk/);
    moveTo(new Date(now().getTime() + QUARTER_MS));
    await walk(false);
    for (const id of ids) assert.deepEqual(await charged(id), [BALANCE]);
  });

  test('are retried when a retry is due, even if nothing else is', async (t) => {
    const { register, tell, moveTo, now, walk, charged, find, sandbox, metrics } = await startWalking(t);
    const id = await register();
    await tell(id);
    sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', 'insufficient_funds');
    moveTo(DUE);
    await walk(false);
    const { decline } = (await find(id)).balance ?? {};
    assert.ok(decline?.next);
    assert.match(await metrics.metrics(), /^balances_declined_total\{reason="insufficient-funds"\} 1$/m);
    assert.match(await metrics.metrics(), /^balances_overdue\{reason="declined"\} 1$/m);
    for (const at of [decline.next.getTime() - 7 * QUARTER_MS, decline.next.getTime() - 1_000]) {
      moveTo(new Date(at));
      await walk(false);
      assert.deepEqual(await charged(id), [-BALANCE]);
    }
    moveTo(new Date(decline.next.getTime() + 1_000));
    await walk(false);
    assert.deepEqual(await charged(id), [BALANCE, -BALANCE]);
    assert.ok(now() < daysAfter(DUE, 1.1));
  });

  test('of late registrants are made in the quarter of an hour in which they are due', async (t) => {
    const { register, tell, moveTo, walk, charged } = await startWalking(t);
    const paidAt = new Date('2025-12-29T12:00:00-08:00');
    moveTo(paidAt);
    const id = await register();
    await tell(id);
    moveTo(daysAfter(paidAt, 6.99));
    await walk(false);
    assert.deepEqual(await charged(id), []);
    moveTo(daysAfter(paidAt, 7.001));
    await walk(false);
    assert.deepEqual(await charged(id), [BALANCE]);
  });

  test('start as far apart as Stripe requires in test mode', async (t) => {
    let requests = 0;
    const { register, tell, moveTo, walk } = await startWalking(t, {
      intercept: () => {
        requests += 1;
        return undefined;
      },
    });
    const count = 9;
    for (let made = 0; made < count; made += 1) await tell(await register({ email: `${made}@example.org` }));
    moveTo(DUE);
    requests = 0;
    const startedAt = performance.now();
    await walk(false);
    const seconds = (performance.now() - startedAt) / 1_000;
    t.diagnostic(`${requests} requests in ${seconds.toFixed(1)} s`);
    assert.ok(requests <= count * 8 + 2, `${requests} requests for ${count} balances`);
    assert.ok(seconds > 0.33 * (count - 1), `${seconds} s`);
  });
});
