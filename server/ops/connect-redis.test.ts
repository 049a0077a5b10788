import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { cleanUp } from '#server/testing/clean-up.ts';
import { wiretap } from '#server/testing/network.ts';
import { letter } from '#server/testing/sample-letters.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer, startPost } from '#server/testing/test-mailing.ts';
import { openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { dueWorkBy } from '#server/worker/due-work-queue.ts';
import { logQueueErrors } from './connect-redis.ts';

describe('the errors of a queue', () => {
  test('the first of a kind is a warning, and again after a success; one while Redis is away is no warning', () => {
    const log = createTestLog();
    const redis = { status: 'ready' } as const;
    const errors = logQueueErrors(redis, log.logger, 'Queue error');
    errors.failed(new Error('OOM command not allowed, script 1'));
    errors.failed(new Error('OOM command not allowed, script 2'));
    errors.failed(new Error('READONLY replica'));
    errors.worked();
    errors.failed(new Error('OOM command not allowed, script 1'));
    logQueueErrors({ status: 'reconnecting' }, log.logger, 'Queue error').failed(new Error('Closed'));
    assert.deepEqual(log.text().match(/(?<="level":")\w+/g), ['warn', 'debug', 'warn', 'warn', 'debug']);
  });
});

test('R5.1 a master that became a replica: writes fail fast, and letters go out once its address leads to a master', async (t) => {
  const redis = await testRedis(t);
  const admin = new Redis(redis.url);
  cleanUp(t, async () => admin.disconnect());
  const mailServer = await startMailServer(t);
  const [ofApp, ofWorker] = [createTestLog(), createTestLog()];
  const { queue } = await openTestQueue(t, redis, { log: ofApp });
  await queue.bullQueue.waitUntilReady();
  startTestWorker(t, { redis, mailServer, log: ofWorker });
  await ofWorker.until('Redis is connected');
  // A replica of a server that does not exist: connections stay, as with a managed Redis that fails over.
  await admin.replicaof('127.0.0.1', 1);
  await assert.rejects(queue.add(letter('registration-received')), { code: 'mail_queue_unavailable' });
  await ofWorker.until('Redis is not available');
  for (const log of [ofApp, ofWorker]) assert.match(log.text(), /READONLY/);
  await admin.replicaof('NO', 'ONE');
  const arrival = mailServer.nextMail();
  const isQueued = () =>
    queue.add(letter('registration-received')).then(
      () => true,
      () => false,
    );
  while (!(await isQueued())) await delay(5);
  await arrival;
});

test('R5.1 Redis is away and back: all register meanwhile, the worker resumes by itself, and each letter comes once', async (t) => {
  const post = await startPost(t);
  post.startWorker();
  await submitContact(post.app, {}, '1'.repeat(32)).expect(200);
  await post.untilSent(2);
  await post.redis.stop();
  await submitContact(post.app, { email: 'anna@example.org' }, '2'.repeat(32)).expect(200);
  const back = post.log.until('Redis is connected', 6);
  await post.redis.start();
  await back;
  await submitContact(post.app, { email: 'berta@example.org' }, '3'.repeat(32)).expect(200);
  // What could not be queued is left to the worker, which looks each minute.
  await dueWorkBy(post.connection, post.log.logger)();
  await post.untilSent(6);
  const ids = post.mailServer.parsed.map(({ messageId }) => messageId);
  assert.equal(new Set(ids).size, 6);
});

/** An idle connection is used every 5 s; without an answer, the app gives it up after 5 s, a worker after 15 s. */
const APP_BOUND_MS = 10_500;
const WORKER_BOUND_MS = 20_500;
/** How many times longer a busy machine may take. */
const BUSY = 3;

describe('a connection to Redis that was dropped silently', { concurrency: true }, () => {
  test('R5.1 is noticed in time by app and worker though they are idle, and they go on once Redis can be reached again', async (t) => {
    const redis = await testRedis(t);
    const proxy = await wiretap(t, redis.url);
    const behind = { ...redis, url: proxy.url };
    const mailServer = await startMailServer(t);
    const [ofApp, ofWorker] = [createTestLog(), createTestLog()];
    const { queue, connection } = await openTestQueue(t, behind, { log: ofApp });
    await queue.bullQueue.waitUntilReady();
    startTestWorker(t, { redis: behind, mailServer, log: ofWorker });
    await ofWorker.until('Redis is connected');
    proxy.deafen();
    const deafAt = performance.now();
    await new Promise((resolve) => connection.once('close', resolve));
    const app = performance.now() - deafAt;
    assert.equal(queue.isReady(), false);
    await ofWorker.until('Redis is not available');
    const worker = performance.now() - deafAt;
    t.diagnostic(
      `noticed by the app after ${Math.round(app)} ms, by the worker after ${Math.round(worker)} ms`,
    );
    assert.ok(app < BUSY * APP_BOUND_MS, `${app} ms`);
    assert.ok(worker < BUSY * WORKER_BOUND_MS, `${worker} ms`);
    proxy.hear();
    await Promise.all([ofApp.until('Redis is connected', 2), ofWorker.until('Redis is connected', 2)]);
    const arrival = mailServer.nextMail();
    await queue.add(letter('registration-received'));
    await arrival;
  });

  test('R5.1 a connection that is only idle stays open', async (t) => {
    const redis = await testRedis(t);
    const mailServer = await startMailServer(t);
    const [ofApp, ofWorker] = [createTestLog(), createTestLog()];
    const { connection } = await openTestQueue(t, redis, { log: ofApp });
    startTestWorker(t, { redis, mailServer, log: ofWorker });
    await Promise.all([ofApp.until('Redis is connected'), ofWorker.until('Redis is connected')]);
    // Longer than both bounds: a worker's wait for a job ends without one three times meanwhile.
    await new Promise((resolve) => setTimeout(resolve, WORKER_BOUND_MS));
    assert.equal(connection.status, 'ready');
    for (const log of [ofApp, ofWorker]) assert.doesNotMatch(log.text(), /Redis is not available/);
  });
});
