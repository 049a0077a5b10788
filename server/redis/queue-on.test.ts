import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { cleanUp } from '#server/testing/clean-up.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { queueOn } from './queue-on.ts';

test('R5.1 a queue asks nothing of Redis before it is used: a lost answer would leave it unusable', async (t) => {
  const { url } = await testRedis(t);
  const admin = new Redis(url);
  cleanUp(t, async () => admin.disconnect());
  await admin.call('ACL', 'SETUSER', 'producer', 'on', '>secret', '~*', '&*', '+@all', '-info');
  const redis = new Redis(url, { username: 'producer', password: 'secret' });
  cleanUp(t, async () => redis.disconnect());
  const queue = new Queue('letters', queueOn(redis));
  cleanUp(t, () => queue.close());
  queue.on('error', () => {});
  await queue.add('one', null);
  assert.equal(await queue.getWaitingCount(), 1);
});
