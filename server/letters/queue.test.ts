import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Redis } from 'ioredis';
import { Metrics } from '#server/ops/metrics.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { letter } from '#server/testing/sample-letters.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { failMail, hastyOutbox, openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { type TestRedis, testRedis } from '#server/testing/test-redis.ts';
import { type OwedLetter, owedLetter } from './letter-kind.ts';
import type { Outbox } from './mail-worker.ts';
import { type MailQueue, MailQueueUnavailable, queueLetters, requeueLost } from './queue.ts';
import { reportQueue } from './queue-metrics.ts';

const received = letter('registration-received');
const welcome = letter('welcome');
const testSession = letter('test-session');
const wayIn = letter('way-in');
/** The same to somebody else. */
const other = owedLetter('registration-received', 'reg_other', 'olga@example.org');

/** Unlike node's `once`, ignores errors in between. */
function nextState(connection: Redis, state: 'ready' | 'close'): Promise<void> {
  return new Promise((resolve) => connection.once(state, () => resolve()));
}

async function comeBack(redis: TestRedis, connection: Redis): Promise<void> {
  const ready = nextState(connection, 'ready');
  await redis.start();
  await ready;
}

/** Checks that a mail is refused instead of waiting for Redis, and why. It takes a second at most on an idle machine. */
async function assertRefusedFast(add: () => Promise<void>, reason: RegExp): Promise<void> {
  const start = performance.now();
  await assert.rejects(add, (error) => error instanceof MailQueueUnavailable && reason.test(inspect(error)));
  assert.ok(performance.now() - start < 10_000);
}

const idsOn = async ({ bullQueue }: MailQueue) => (await bullQueue.getJobs()).map(({ id }) => id).sort();
const idsOf = (...letters: readonly OwedLetter[]) => letters.map(({ id }) => id).sort();

describe('the mail queue', () => {
  test('R5.1 fails fast while Redis is away, at start or later, keeps what it had, and takes a mail once for each kind, registration and address', async (t) => {
    const redis = await testRedis(t, { running: false });
    const { queue, connection, log } = await openTestQueue(t, redis);
    await assertRefusedFast(() => queue.add(received), /Redis is away/);
    assert.equal(queue.isReady(), false);
    await comeBack(redis, connection);
    assert.equal(log.text().split('Redis is not available').length - 1, 1);
    for (const _time of [1, 2]) await queue.add(received);
    const closed = nextState(connection, 'close');
    await redis.stop();
    await closed;
    await assertRefusedFast(() => queue.add(welcome), /Redis is away/);
    await comeBack(redis, connection);
    await queue.add(other);
    assert.deepEqual(await idsOn(queue), idsOf(received, other));
  });

  test('R5.1 fails fast while Redis hangs', async (t) => {
    const { redis, queue } = await start(t, { redisHangs: true });
    process.kill(redis.pid(), 'SIGSTOP');
    cleanUp(t, async () => void process.kill(redis.pid(), 'SIGCONT'));
    await assertRefusedFast(() => queue.add(received), /No answer within 150 ms/);
  });
});

const MINUTE_MS = 60_000;
const AT = Date.UTC(2030, 0, 1);

/** A queue on which letters are owed from that moment on, unless the test says otherwise. */
async function start(t: TestContext, options: { now?: () => Date; redisHangs?: boolean } = {}) {
  const redis = await testRedis(t);
  const opened = await openTestQueue(t, redis, { now: () => new Date(AT), ...options });
  const { bullQueue } = opened.queue;
  await bullQueue.waitUntilReady();
  return { ...opened, redis, bullQueue };
}

describe('letters that are owed and have no job', () => {
  test('R5.1 are queued two minutes later, once each, after Redis lost its data or was away', async (t) => {
    let now = AT;
    const { redis, queue, letterLog, connection, bullQueue } = await start(t, { now: () => new Date(now) });
    const look = () => requeueLost(bullQueue, letterLog, new Date(now));
    await queue.add(received);
    await connection.flushall();
    await redis.stop();
    await assert.rejects(queue.add(welcome));
    await comeBack(redis, connection);
    await queue.add(testSession);
    now += MINUTE_MS;
    assert.equal(await look(), 0, 'they may be being queued');
    now += MINUTE_MS;
    assert.deepEqual([await look(), await look()], [2, 0]);
    assert.deepEqual(await idsOn(queue), idsOf(received, welcome, testSession));
  });

  test('R5.1 are recorded as sent where their jobs were done, as after a restore; only a charge is announced again', async (t) => {
    const { redis, queue, letterLog, log, bullQueue } = await start(t);
    const notice = letter('balance-notice');
    await queue.add(received, notice);
    const { worker } = startTestWorker(t, { redis, log, mailServer: await startMailServer(t) });
    while ((await bullQueue.getCompletedCount()) < 2) await setImmediate();
    await worker.close();
    assert.equal(await requeueLost(bullQueue, letterLog, new Date(AT + 5 * MINUTE_MS)), 1);
    const found = await letterLog.find(idsOf(received, notice));
    assert.deepEqual([found.get(received.id)?.state, found.get(notice.id)?.state], ['sent', 'owed']);
    assert.equal(await bullQueue.getJobState(notice.id), 'waiting');
  });

  test('R5.4 are none that failed, were sent or dismissed', async (t) => {
    const { redis, queue, letterLog, bullQueue } = await start(t);
    await queue.add(welcome);
    await failMail(redis, welcome.id);
    await recordSent(letterLog, received, new Date(AT));
    await letterLog.owe([other], new Date(AT));
    await letterLog.dismiss(other.id, new Date(AT));
    assert.equal(await requeueLost(bullQueue, letterLog, new Date(AT + 5 * MINUTE_MS)), 0);
  });
});

const CROWD = 300;
const PER_SECOND = 100;

/** A queue on which the letter with the way in waits for everybody. */
async function startCrowded(t: TestContext, size = CROWD) {
  const opened = await start(t);
  const crowd = Array.from({ length: size }, (_, index) => ({
    ...wayIn,
    ...owedLetter('way-in', `reg_${index}`, `person.${index}@example.org`),
  }));
  for (let from = 0; from < size; from += 50) await opened.queue.add(...crowd.slice(from, from + 50));
  return { ...opened, crowd };
}

/** The largest number of moments within one second. */
function mostInASecond(moments: readonly number[]): number {
  return Math.max(...moments.map((from) => moments.filter((at) => at >= from && at < from + 1_000).length));
}

describe('letters that come due for everybody at once', () => {
  test('R5.1 keep to the rate of the provider, with two workers, and let a welcome overtake them', async (t) => {
    const { redis, queue } = await startCrowded(t);
    const mailServer = await startMailServer(t);
    const taken: number[] = [];
    const findDue: Outbox['findDue'] = (id) => {
      taken.push(performance.now());
      return hastyOutbox.findDue(id);
    };
    const outbox = { ...hastyOutbox, findDue };
    for (const log of [createTestLog(), createTestLog()])
      startTestWorker(t, { redis, mailServer, log, outbox, perSecond: PER_SECOND });
    while (mailServer.parsed.length < 50) await mailServer.nextMail();
    await queue.add(welcome);
    const before = mailServer.parsed.length;
    while (mailServer.parsed.length <= CROWD) await mailServer.nextMail();
    const place = mailServer.parsed.findIndex(({ subject }) => subject?.startsWith('Welcome'));
    assert.ok(place < before + 30, `after ${place - before} of ${CROWD - before} others`);
    const addressees = new Set(mailServer.parsed.map(({ to }) => to?.[0]?.address));
    assert.deepEqual([addressees.size, mailServer.parsed.length], [CROWD + 1, CROWD + 1]);
    // The worker sends in portions of a tenth of a second: one more portion may begin within the same second.
    assert.ok(mostInASecond(taken) <= PER_SECOND * 1.1, `${mostInASecond(taken)} began in a second`);
  });

  test('R5.1 are queued once each, and count as waiting, with the age of the oldest; a letter that somebody resends does not wait behind them', async (t) => {
    const { queue, bullQueue, letterLog, crowd } = await startCrowded(t, 3);
    const [first = assert.fail()] = crowd;
    await queue.add(first, testSession, testSession);
    const jobs = await bullQueue.getPrioritized();
    assert.equal(jobs.length, 4);
    const metrics = new Metrics();
    reportQueue(metrics, queue);
    assert.match(await metrics.metrics(), /^mail_jobs\{state="waiting"\} 4$/m);
    assert.doesNotMatch(await metrics.metrics(), /prioritized/);
    assert.match(await metrics.metrics(), /^mail_oldest_waiting_seconds \d+(\.\d+)?$/m);
    assert.equal(await queue.stateOf(first), 'waiting');
    const id = await letterLog.oweAgain(testSession, { name: 'once' }, new Date(AT));
    await queueLetters(bullQueue, [{ kind: 'test-session', id, again: true }]);
    assert.equal(await bullQueue.getWaitingCount(), 1);
  });
});
