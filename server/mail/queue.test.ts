import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { letter } from '#scripts/world/letters.ts';
import { addQueueMetrics } from '#server/ops/mail-metrics.ts';
import { connectWorker } from '#server/redis/connect-redis.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { failMail, hastyOutbox, openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { MAIL_QUEUE_NAME, mailJobId } from './job.ts';
import { MailQueueUnavailable, requeueLost } from './queue.ts';
import type { Outbox } from './worker.ts';

const job = letter('registration-received');

/** Unlike node's `once`, ignores errors in between. */
function nextState(connection: Redis, state: 'ready' | 'close'): Promise<void> {
  return new Promise((resolve) => connection.once(state, () => resolve()));
}

/** Checks that a mail is refused instead of waiting for Redis, and why. It takes a second at most on an idle machine. */
async function assertRefusedFast(add: () => Promise<void>, reason: RegExp): Promise<void> {
  const start = performance.now();
  await assert.rejects(add, (error) => error instanceof MailQueueUnavailable && reason.test(inspect(error)));
  const elapsedMs = performance.now() - start;
  assert.ok(elapsedMs < 10_000, `took ${elapsedMs} ms`);
}

describe('the mail queue', () => {
  test('R5.1 takes a mail once for each kind, registration and address', async (t) => {
    const { queue } = await openTestQueue(t, await testRedis(t));
    await queue.bullQueue.waitUntilReady();
    await queue.add(job);
    await queue.add(job);
    await queue.add({ ...job, registration: 'reg_4' });
    const ids = (await queue.bullQueue.getJobs()).map(({ id }) => id);
    assert.deepEqual(ids.sort(), [job, { ...job, registration: 'reg_4' }].map(mailJobId).sort());
  });

  test('R5.1 fails fast while Redis is away at start, and works once Redis is there', async (t) => {
    const redis = await testRedis(t, { running: false });
    const { queue, connection, log } = await openTestQueue(t, redis);
    await assertRefusedFast(() => queue.add(job), /Redis is away/);
    assert.equal(queue.isReady(), false);

    const ready = nextState(connection, 'ready');
    await redis.start();
    await ready;
    await queue.add(job);
    assert.equal(await queue.bullQueue.getJobCountByTypes('waiting'), 1);
    assert.equal(log.text().split('Redis is not available').length - 1, 1);
  });

  test('R5.1 fails fast when Redis goes, keeps what it had, and works when Redis is back', async (t) => {
    const redis = await testRedis(t);
    const { queue, connection } = await openTestQueue(t, redis);
    await queue.bullQueue.waitUntilReady();
    await queue.add(job);

    const closed = nextState(connection, 'close');
    await redis.stop();
    await closed;
    await assertRefusedFast(() => queue.add({ ...job, registration: 'reg_2' }), /Redis is away/);

    const ready = nextState(connection, 'ready');
    await redis.start();
    await ready;
    await queue.add({ ...job, registration: 'reg_4' });
    const ids = (await queue.bullQueue.getJobs()).map(({ id }) => id);
    assert.deepEqual(ids.sort(), [job, { ...job, registration: 'reg_4' }].map(mailJobId).sort());
  });

  test('R5.1 fails fast while Redis hangs', async (t) => {
    const redis = await testRedis(t);
    const { queue } = await openTestQueue(t, redis, { redisHangs: true });
    await queue.bullQueue.waitUntilReady();
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      await assertRefusedFast(() => queue.add(job), /No answer within 150 ms/);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
  });
});

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
    const workers = connectWorker(redis.url, createTestLog().logger);
    cleanUp(t, async () => workers.disconnect());
    const worker = new Worker(MAIL_QUEUE_NAME, async () => true, { connection: workers });
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
    registration: `reg_${index}`,
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
