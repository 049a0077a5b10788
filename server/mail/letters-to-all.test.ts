import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Registry } from 'prom-client';
import { letter } from '#scripts/world/letters.ts';
import { addQueueMetrics } from '#server/ops/mail-metrics.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { hastyOutbox, openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { mailJobId } from './queued-job.ts';
import type { Outbox } from './worker.ts';

const wayIn = letter('way-in');
const testSession = letter('test-session');
const welcome = letter('welcome');
const CROWD = 300;
const PER_SECOND = 100;

/** A queue on which the letter with the way in waits for everybody. */
async function startCrowded(t: TestContext, size = CROWD) {
  const redis = await testRedis(t);
  const mailServer = await startMailServer(t);
  const { queue, letterLog } = await openTestQueue(t, redis);
  await queue.bullQueue.waitUntilReady();
  const crowd = Array.from({ length: size }, (_, index) => ({
    ...wayIn,
    paymentIntentId: `pi_${index}`,
    email: `person.${index}@example.org`,
  }));
  for (let from = 0; from < size; from += 50) await queue.add(...crowd.slice(from, from + 50));
  return { redis, mailServer, queue, letterLog, crowd };
}

/** The largest number of moments within one second. */
function mostInASecond(moments: readonly number[]): number {
  return Math.max(...moments.map((from) => moments.filter((at) => at >= from && at < from + 1_000).length));
}

describe('letters that come due for everybody at once', () => {
  test('R5.1 keep to the rate of the provider, with two workers, and let a welcome overtake them', async (t) => {
    const { redis, mailServer, queue } = await startCrowded(t);
    const taken: number[] = [];
    const outbox: Outbox = {
      ...hastyOutbox,
      async findDue(id) {
        taken.push(performance.now());
        return hastyOutbox.findDue(id);
      },
    };
    for (const log of [createTestLog(), createTestLog()])
      startTestWorker(t, { redis, mailServer, log, outbox, perSecond: PER_SECOND });
    while (mailServer.parsed.length < 50) await mailServer.nextMail();
    await queue.add(welcome);
    const before = mailServer.parsed.length;
    while (mailServer.parsed.length <= CROWD) await mailServer.nextMail();
    const place = mailServer.parsed.findIndex(({ subject }) => subject?.startsWith('Welcome'));
    assert.ok(place < before + 30, `after ${place - before} of ${CROWD - before} others`);
    const addressees = new Set(mailServer.parsed.map(({ to }) => to?.[0]?.address));
    assert.equal(addressees.size, CROWD + 1);
    assert.equal(mailServer.parsed.length, CROWD + 1);
    // The worker sends in portions of a tenth of a second: one more portion may begin within the same second.
    assert.ok(mostInASecond(taken) <= PER_SECOND * 1.1, `${mostInASecond(taken)} began in a second`);
  });

  test('R5.1 count as waiting, with the age of the oldest', async (t) => {
    const { queue, crowd } = await startCrowded(t, 3);
    await queue.add(welcome);
    const metrics = new Registry();
    addQueueMetrics(metrics, queue);
    assert.match(await metrics.metrics(), /^mail_jobs\{state="waiting"\} 4$/m);
    assert.doesNotMatch(await metrics.metrics(), /prioritized/);
    const [first] = await queue.bullQueue.getPrioritized();
    assert.equal(await queue.oldestWaiting(), first?.timestamp);
    assert.equal(await queue.stateOf(crowd[0] ?? assert.fail()), 'waiting');
  });

  test('R5.1 are queued once each, and a letter that somebody resends does not wait behind them', async (t) => {
    const { queue, letterLog, crowd } = await startCrowded(t, 3);
    await queue.add(crowd[0] ?? assert.fail(), testSession, testSession);
    assert.equal(await queue.bullQueue.getJobCountByTypes('prioritized'), 4);
    await queue.addAgain(testSession, 'once');
    assert.equal(await queue.bullQueue.getJobCountByTypes('waiting'), 0, 'it waits for its turn already');
    const job = await queue.bullQueue.getJob(mailJobId(testSession));
    await job?.remove();
    await letterLog.markSent(testSession, new Date());
    await queue.addAgain(testSession, 'once');
    assert.equal(await queue.bullQueue.getJobCountByTypes('waiting'), 1);
  });
});
