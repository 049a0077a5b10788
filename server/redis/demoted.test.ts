import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { letter } from '#scripts/world/letters.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';

test('R5.1 a master that became a replica is disconnected, and not used until its address leads to a master', async (t) => {
  const redis = await testRedis(t);
  const admin = new Redis(redis.url);
  cleanUp(t, async () => admin.disconnect());
  const mailServer = await startMailServer(t);
  const [ofApp, ofWorker] = [createTestLog(), createTestLog()];
  const { queue, connection } = await openTestQueue(t, redis, { log: ofApp });
  await queue.bullQueue.waitUntilReady();
  startTestWorker(t, { redis, mailServer, log: ofWorker });
  await ofWorker.until('Redis is connected');
  // A replica of a server that does not exist: connections stay, as with a managed Redis that fails over.
  await admin.replicaof('127.0.0.1', 1);
  await assert.rejects(queue.add(letter('registration-received')), { code: 'mail_queue_unavailable' });
  while (queue.isReady()) await delay(5);
  await ofWorker.until('Redis is not available');
  for (const log of [ofApp, ofWorker]) assert.match(log.text(), /READONLY/);
  // The replica accepts the connection each time, and is never treated as ready.
  for (let attempt = 0; attempt < 3; attempt += 1)
    await new Promise((resolve) => connection.once('reconnecting', resolve));
  assert.equal(queue.isReady(), false);
  await admin.replicaof('NO', 'ONE');
  await Promise.all([ofApp, ofWorker].map((log) => log.until('Redis is connected', 2)));
  const arrival = mailServer.nextMail();
  await queue.add(letter('registration-received'));
  await arrival;
  for (const log of [ofApp, ofWorker])
    assert.equal(log.text().split('Redis is not available').length, 2, 'once each');
});
