import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { letter } from '#scripts/world/letters.ts';
import { connectWorker } from '#server/redis/connect-redis.ts';
import { workerOn } from '#server/redis/queue-on.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { failMail, openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { requeueLost } from './queue.ts';
import { MAIL_QUEUE_NAME, mailJobId } from './queued-job.ts';

const MINUTE_MS = 60_000;
const AT = Date.UTC(2030, 0, 1);

/** A queue on which letters are owed from that moment on. */
async function start(t: TestContext, now = () => new Date(AT)) {
  const redis = await testRedis(t);
  const { queue, letterLog, connection } = await openTestQueue(t, redis, { now });
  await queue.bullQueue.waitUntilReady();
  return { redis, queue, letterLog, connection, bullQueue: queue.bullQueue };
}

describe('letters that are owed and have no job', () => {
  test('R5.1 are queued two minutes later, once each, after Redis lost its data or was away', async (t) => {
    let now = AT;
    const { redis, queue, letterLog, connection, bullQueue } = await start(t, () => new Date(now));
    const look = () => requeueLost(bullQueue, letterLog, new Date(now));
    await queue.add(letter('registration-received'));
    await connection.flushall();
    await redis.stop();
    await assert.rejects(queue.add(letter('office-notice')));
    // Not by `once` of node:events: it fails at the first `error`, which is expected while Redis is away.
    const ready = new Promise((resolve) => connection.once('ready', resolve));
    await redis.start();
    await ready;
    await queue.add(letter('test-session'));
    now += MINUTE_MS;
    assert.equal(await look(), 0, 'they may be being queued');
    now += MINUTE_MS;
    assert.equal(await look(), 2);
    assert.equal(await look(), 0);
    const ids = (await bullQueue.getJobs()).map(({ id }) => id);
    const kinds = ['registration-received', 'office-notice', 'test-session'] as const;
    assert.deepEqual(ids.sort(), kinds.map((kind) => mailJobId(letter(kind))).sort());
  });

  test('R5.1 are recorded as sent where their jobs were done, as after a restore; only a charge is announced again', async (t) => {
    const { redis, queue, letterLog, bullQueue } = await start(t);
    const sent = [letter('registration-received'), letter('balance-notice')] as const;
    await queue.add(...sent);
    const workers = connectWorker(redis.settings, createTestLog().logger);
    cleanUp(t, async () => workers.disconnect());
    const worker = new Worker(MAIL_QUEUE_NAME, async () => true, workerOn(workers));
    while ((await bullQueue.getCompletedCount()) < 2) await setImmediate();
    await worker.close();
    assert.equal(await requeueLost(bullQueue, letterLog, new Date(AT + 5 * MINUTE_MS)), 1);
    const states = await letterLog.find(sent.map(mailJobId));
    assert.deepEqual([...states.values()].map(({ kind, state }) => [kind, state]).sort(), [
      ['balance-notice', 'owed'],
      ['registration-received', 'sent'],
    ]);
    assert.equal(await bullQueue.getJobState(mailJobId(letter('balance-notice'))), 'waiting');
  });

  test('R5.4 are none that failed, were sent or dismissed', async (t) => {
    const { redis, queue, letterLog, bullQueue } = await start(t);
    await queue.add(letter('welcome'));
    await failMail(redis, mailJobId(letter('welcome')));
    await letterLog.owe([letter('office-paid'), letter('office-notice')], new Date(AT));
    await recordSent(letterLog, letter('office-paid'), new Date(AT));
    await letterLog.dismiss(mailJobId(letter('office-notice')), new Date(AT));
    assert.equal(await requeueLost(bullQueue, letterLog, new Date(AT + 5 * MINUTE_MS)), 0);
  });
});
