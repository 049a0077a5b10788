import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { startChild } from '#scripts/product/child.ts';
import type { MailJob } from '#server/mail/job.ts';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import type { Stage } from './stage.ts';

const POLL_MS = 250;
const ROUND_MS = 2_000;

/**
 * Does what people do after a bad day: retries what failed for good, and restarts the worker once. Mails that
 * wait for their next attempt are sent at once. Goes on until everything is done, or the time is over;
 * returns how many mails were retried.
 */
export async function supportUntil(
  isDone: () => Promise<boolean>,
  stage: Stage,
  timeoutMs: number,
): Promise<number> {
  let retried = 0;
  const deadline = Date.now() + timeoutMs;
  const connection = new Redis(stage.redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue<MailJob>(MAIL_QUEUE_NAME, queueOn(connection));
  try {
    retried += await retryFailed(queue, stage);
    await stage.worker.stop();
    await stage.worker.start();
    while (Date.now() < deadline) {
      await queue.promoteJobs();
      retried += await retryFailed(queue, stage);
      if (await doneWithin(isDone, ROUND_MS)) break;
    }
  } finally {
    await queue.close();
    connection.disconnect();
  }
  return retried;
}

/** Uses the support program's own command. */
async function retryFailed(queue: Queue<MailJob>, { env }: Stage): Promise<number> {
  const failed = await queue.getFailedCount();
  if (failed === 0) return 0;
  const said: string[] = [];
  const { ended } = startChild({
    name: 'support program',
    command: process.execPath,
    args: ['dist/support.js', 'retry', '--all'],
    env: { PATH: process.env.PATH, ...env },
    onLine: (line) => void said.push(line),
  });
  const how = await ended;
  if (!how.endsWith('code 0')) throw new Error(`support retry --all ${how}: ${said.join('\n')}`);
  return failed;
}

async function doneWithin(isDone: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (await isDone()) return true;
    await pause(POLL_MS);
  }
  return false;
}
