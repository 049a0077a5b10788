import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Registry } from 'prom-client';
import { addRefundMetrics } from '#server/ops/refund-metrics.ts';
import { addFoundMetrics } from '#server/ops/walk-metrics.ts';
import { stateOf } from '#server/payments/registration-state.ts';
import { type Charges, DAY_MS, DUE, startCharges } from '#server/testing/test-charges.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { noCharges } from '#server/testing/test-register.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { readLastWholeWalk } from './last-whole-walk.ts';
import { needsOf } from './office-digest.ts';
import { createReadModel } from './read-model.ts';
import { runDueWalk } from './walker.ts';

const HOUR_MS = DAY_MS / 24;
const QUARTER_MS = HOUR_MS / 4;

/** Registrations whose balance was charged, and a worker's walk through them on a real Redis. */
async function startWalking(t: TestContext) {
  let reads = 0;
  const charges = await startCharges(t, {
    log: (line) => {
      if (line.startsWith('GET ')) reads += 1;
    },
  });
  const redis = await testRedis(t);
  const log = createTestLog();
  const { queue, connection } = openTestQueue(t, redis, { log });
  await queue.bullQueue.waitUntilReady();
  const metrics = new Registry();
  const { now, payments, register, tell, moveTo, charge, find } = charges;
  const readModel = createReadModel(connection, now);
  const refunds = addRefundMetrics(metrics);
  addFoundMetrics(metrics, { lastWhole: () => readLastWholeWalk(connection) });
  const after = (ms: number) => moveTo(new Date(now().getTime() + ms));
  return {
    ...charges,
    ...{ redis: connection, log, queue: queue.bullQueue, readModel, after },
    walk: (asked: boolean, by: Charges['payments'] = payments) =>
      runDueWalk(asked, queue.bullQueue, {
        ...{ redis: connection, register: by, readModel, registration: 'auto', charges: noCharges },
        ...{ refunds, logger: log.logger, clock: { now } },
      }),
    async paid(...names: string[]) {
      const ids: string[] = [];
      for (const name of names) {
        const id = await register({ email: `${name}@example.org` });
        await tell(id);
        ids.push(id);
      }
      moveTo(DUE);
      for (const id of ids) await charge(id);
      return ids;
    },
    cancel: async (id: string) =>
      payments.decide(await find(id), 'cancel', { at: now(), by: 'Anna', writtenAt: now() }),
    shown: async () => (await readModel.list(edition)).map((record) => stateOf(record, now())).sort(),
    queued: async () => (await queue.bullQueue.getJobs()).map(({ name }) => name),
    counted: async (line: RegExp) => assert.match(await metrics.metrics(), line),
    async readsOf(act: () => Promise<unknown>) {
      const before = reads;
      await act();
      return reads - before;
    },
    /** The refunds of a registration. */
    async refunded(id: string) {
      const { refunds: all } = await find(id);
      return all.map(({ cents }) => cents);
    },
  };
}

describe('the refunds of a walk', () => {
  test('are made 25 hours after a cancellation, even if nothing else is due then, and are shown at once', async (t) => {
    const { paid, cancel, walk, after, refunded, shown, counted, log } = await startWalking(t);
    const [gone = '', stays = ''] = await paid('gone', 'stays');
    await cancel(gone);
    await walk(true);
    for (let waited = 0; waited < 25 * HOUR_MS; waited += 5 * HOUR_MS) {
      await walk(false);
      assert.deepEqual(await refunded(gone), []);
      after(5 * HOUR_MS);
    }
    after(1_000);
    await walk(false);
    assert.deepEqual([await refunded(gone), await refunded(stays)], [[70_000], []]);
    assert.deepEqual(await shown(), ['refunded', 'settled']);
    await counted(/^refunds_total\{outcome="made"\} 1$/m);
    await counted(/^registrations\{edition="january-2026",state="refunded"\} 1$/m);
    assert.match(log.text(), /"amountCents":70000.*Refund worked off/);
  });

  test('queue the letters about their result at once', async (t) => {
    const { paid, cancel, walk, after, queued } = await startWalking(t);
    const [id = ''] = await paid('gone');
    await cancel(id);
    await walk(true);
    after(25 * HOUR_MS);
    const before = await queued();
    await walk(false);
    const letters = (await queued()).filter((kind) => !before.includes(kind));
    assert.deepEqual(letters, ['cancelled']);
  });

  test('are made once, even if Redis loses everything in the middle of them', async (t) => {
    const { paid, cancel, walk, after, refunded, redis, payments } = await startWalking(t);
    const ids = await paid('a', 'b', 'c');
    for (const id of ids) await cancel(id);
    after(26 * HOUR_MS);
    let count = 0;
    await walk(true, {
      ...payments,
      async workOffRefunds(id, at) {
        count += 1;
        if (count === 2) await redis.flushall();
        return payments.workOffRefunds(id, at);
      },
    });
    await redis.flushall();
    await walk(false);
    for (const id of ids) assert.deepEqual(await refunded(id), [70_000]);
  });

  test('that fail stop no others, and are retried a quarter of an hour later', async (t) => {
    const { paid, cancel, walk, after, refunded, payments, log } = await startWalking(t);
    const [failing = '', ...others] = await paid('a', 'b', 'c');
    for (const id of [failing, ...others]) await cancel(id);
    after(26 * HOUR_MS);
    await walk(false, {
      ...payments,
      workOffRefunds: (id, at) =>
        id === failing ? Promise.reject(new Error('Stripe is down')) : payments.workOffRefunds(id, at),
    });
    for (const id of others) assert.deepEqual(await refunded(id), [70_000]);
    assert.deepEqual(await refunded(failing), []);
    assert.match(log.text(), new RegExp(`"level":"error".*${failing}.*A refund could not be made`));
    after(QUARTER_MS);
    await walk(false);
    assert.deepEqual(await refunded(failing), [70_000]);
  });

  test('end when Stripe is down for all: the rest is left to the next walk', async (t) => {
    const { register, cancel, walk, after, state, payments, log } = await startWalking(t);
    const ids: string[] = [];
    for (let count = 0; count < 12; count += 1) ids.push(await register({ email: `${count}@example.org` }));
    for (const id of ids) await cancel(id);
    after(26 * HOUR_MS);
    let asked = 0;
    await walk(false, {
      ...payments,
      async workOffRefunds() {
        asked += 1;
        throw new Error('Stripe is down');
      },
    });
    assert.equal(asked, 8);
    assert.match(log.text(), /"left":4.*Stripe fails: refunds are left to the next walk/);
    after(QUARTER_MS);
    await walk(false);
    for (const id of ids) assert.equal(await state(id), 'nothing-back');
  });

  test('that Stripe refuses stop no others, are logged and counted, and reported to the office a day later', async (t) => {
    const { paid, payments, find, now, walk, after, refunded, counted, log, readModel, readsOf } =
      await startWalking(t);
    const [refused = '', fine = ''] = await paid('refused', 'fine');
    const act = () => ({ at: now(), by: 'Anna', reason: 'illness' });
    await payments.decide(await find(refused), 'refund', { ...act(), cents: 144_726 });
    await payments.decide(await find(fine), 'refund', { ...act(), cents: 10_000 });
    await walk(true);
    assert.deepEqual([await refunded(refused), await refunded(fine)], [[], [10_000]]);
    await counted(/^refunds_total\{outcome="refused"\} 1$/m);
    assert.match(log.text(), new RegExp(`"level":"error".*${refused}.*more-than-left.*Stripe refuses`));
    // It is retried every six hours, not every quarter of an hour.
    after(QUARTER_MS);
    assert.equal(await readsOf(() => walk(false)), 1);
    await counted(/^refunds_total\{outcome="refused"\} 1$/m);
    const needs = async () =>
      (await readModel.list(edition)).flatMap((record) => needsOf(record, now()).map(({ need }) => need));
    assert.deepEqual(await needs(), []);
    after(DAY_MS);
    await walk(false);
    assert.deepEqual(await needs(), ['refund-overdue']);
  });

  test('wait while a charge is disputed, without a full walk every quarter of an hour', async (t) => {
    const { paid, cancel, walk, after, refunded, readsOf, balances, sandbox, payments, find, now } =
      await startWalking(t);
    const [id = ''] = await paid('gone');
    await cancel(id);
    const [balance] = await balances(id);
    const charge = String(balance?.latest_charge);
    const dispute = sandbox.bank.openDispute(charge);
    after(26 * HOUR_MS);
    await walk(false);
    after(QUARTER_MS);
    assert.equal(await readsOf(() => walk(false)), 1);
    sandbox.bank.closeDispute(dispute, 'won');
    await walk(true);
    assert.deepEqual(await refunded(id), []);
    const over = { at: now(), by: 'Anna', charges: [charge], disputes: [dispute] };
    await payments.decide(await find(id), 'disputeOver', over);
    await walk(true);
    assert.deepEqual(await refunded(id), [70_000]);
  });
});
