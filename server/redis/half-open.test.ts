import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letter } from '#scripts/world/letters.ts';
import { redisAt } from '#server/config/redis-settings.ts';
import { wiretap } from '#server/testing/network.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';

/** An idle connection is used every 5 s; without an answer, the app gives it up after 5 s, a worker after 15 s. */
const APP_BOUND_MS = 10_500;
const WORKER_BOUND_MS = 20_500;
/** How many times longer a busy machine may take. */
const BUSY = 3;

describe('a connection to Redis that was dropped silently', { concurrency: true }, () => {
  test('R5.1 is noticed in time by app and worker though they are idle, and they go on once Redis can be reached again', async (t) => {
    const redis = await testRedis(t);
    const proxy = await wiretap(t, redis.url);
    const behind = { ...redis, settings: redisAt(proxy.url) };
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
