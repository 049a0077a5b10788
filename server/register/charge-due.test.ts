import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Registry } from 'prom-client';
import { addChargeMetrics, addFoundMetrics } from '#server/ops/walk-metrics.ts';
import { stateOf } from '#server/payments/registration-state.ts';
import { type Charges, DUE, startCharges } from '#server/testing/test-charges.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { readLastWholeWalk } from './last-whole-walk.ts';
import { createReadModel } from './read-model.ts';
import { runDueWalk } from './walker.ts';

const BALANCE = 72_625;

/** Registrations, and a worker's walk through them on a real Redis. */
async function startWalking(t: TestContext, options: Parameters<typeof startCharges>[1] = {}) {
  const charges = await startCharges(t, options);
  const redis = await testRedis(t);
  const log = createTestLog();
  const { queue, connection } = openTestQueue(t, redis, log);
  await queue.bullQueue.waitUntilReady();
  const metrics = new Registry();
  const { now } = charges;
  const readModel = createReadModel(connection, now);
  const watcher = addChargeMetrics(metrics);
  addFoundMetrics(metrics, { lastWhole: () => readLastWholeWalk(connection) });
  const walk = (asked: boolean, register: Charges['payments'] = charges.payments) =>
    runDueWalk(asked, queue.bullQueue, {
      ...{ redis: connection, register, readModel, registration: 'auto', charges: watcher },
      ...{ logger: log.logger, clock: { now } },
    });
  const shown = async () =>
    (await readModel.list(edition)).map((registration) => stateOf(registration, now()));
  return { ...charges, redis: connection, log, metrics, readModel, walk, shown };
}

describe('the charges of a walk', () => {
  test('a walk at the due moment charges all who were told, and shows it at once', async (t) => {
    const { register, tell, moveTo, walk, charged, shown, metrics } = await startWalking(t);
    const told = await register({ email: 'told@example.org' });
    const untold = await register({ email: 'untold@example.org' });
    await tell(told);
    moveTo(DUE);
    await walk(false);
    assert.deepEqual([await charged(told), await charged(untold)], [[BALANCE], []]);
    assert.deepEqual((await shown()).sort(), ['due', 'settled']);
    const said = await metrics.metrics();
    assert.match(said, /^balances_charged_total 1$/m);
    assert.match(said, /^balances_overdue\{reason="no-notice"\} 1$/m);
    assert.match(said, /^registrations\{edition="january-2026",state="settled"\} 1$/m);
  });
});
