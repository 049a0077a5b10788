import assert from 'node:assert/strict';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { letter } from '#scripts/world/letters.ts';
import { readAppConfig } from '#server/config/config.ts';
import type { TestScope } from './clean-up.ts';
import { createTestLog } from './test-log.ts';
import { startMailServer } from './test-mail-server.ts';
import { openTestQueue } from './test-queue.ts';
import type { TestRedis } from './test-redis.ts';
import { runSupport } from './test-support.ts';
import { startTestWorker } from './test-worker.ts';

/** A Redis as the app and the worker connect to it with these environment variables. */
export function reachedBy(redis: TestRedis, env: NodeJS.ProcessEnv): TestRedis {
  return { ...redis, settings: readAppConfig({ ...leastEnvironment, ...env }).redis };
}

/** Queues a mail, sends it, and finds it with support's program, all with the same environment variables. */
export async function sendOneMail(t: TestScope, redis: TestRedis, env: NodeJS.ProcessEnv): Promise<void> {
  const reached = reachedBy(redis, env);
  const log = createTestLog();
  const mailServer = await startMailServer(t);
  const { queue } = openTestQueue(t, reached, { log });
  await queue.bullQueue.waitUntilReady();
  startTestWorker(t, { redis: reached, mailServer, log });
  const arrival = mailServer.nextMail();
  await queue.add(letter('registration-received'));
  await arrival;
  await log.until('Mail sent');
  const { code, out, err } = await runSupport(env, 'list', '--sent');
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /1 sent/);
}
