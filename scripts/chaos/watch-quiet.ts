import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { MAIL_QUEUE_NAME } from '#server/letters/queue.ts';
import { queueOn } from '#server/ops/connect-redis.ts';
import { askForTransactions, readLastDueWork } from '#server/worker/due-work.ts';
import { askForDueWork as ask, dueWorkQueue } from '#server/worker/due-work-queue.ts';

const POLL_MS = 50;
/** How many polls in a row have to find nothing in progress. */
const QUIET_POLLS = 2;
/** What failed is tried again later, by the machine's time: so it is asked for sooner. */
const ASK_AGAIN_MS = 5_000;

/** Watches the queues and the log from outside the product, and hurries the queues. */
export function watchQuiet({ redisUrl, lines = [] }: { redisUrl: string; lines?: readonly string[] }) {
  const redis = new Redis(redisUrl, {
    maxRetriesPerRequest: null,
    commandTimeout: 5_000,
    retryStrategy: () => 100,
  });
  const mails = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  const dueWork = dueWorkQueue(redis);
  // Redis is killed now and then.
  for (const each of [redis, mails, dueWork]) each.on('error', () => {});
  const askForDueWork = async (): Promise<void> => {
    if (redis.status === 'ready') await ask(dueWork).catch(() => undefined);
  };
  // Where Stripe throttles, the worker goes on a minute later, by the machine's time.
  const hasLeft = (): boolean =>
    lines.findLast((line) => /Due work begins|left for later/.test(line))?.includes('left for later') ??
    false;
  const isQuiet = async (since: number): Promise<boolean> => {
    const last = await readLastDueWork(redis);
    if (!last || last.startedAt < since || hasLeft()) return false;
    for (const queue of [mails, dueWork]) {
      const counts = await queue.getJobCounts('waiting', 'active', 'prioritized');
      if (Object.values(counts).some((count) => count > 0)) return false;
    }
    return true;
  };
  return {
    askForDueWork,
    askForTransactions: () => askForTransactions(redis),
    /**
     * Resolves to true once the worker began to do what is due after a business moment and nothing is in progress; to false on timeout.
     */
    async until(since: number, timeoutMs: number): Promise<boolean> {
      const deadline = Date.now() + timeoutMs;
      let askAt = Date.now() + ASK_AGAIN_MS;
      let polls = 0;
      while (Date.now() < deadline) {
        if (hasLeft() || Date.now() > askAt) {
          askAt = Date.now() + ASK_AGAIN_MS;
          await askForDueWork();
        }
        polls = (await isQuiet(since).catch(() => false)) ? polls + 1 : 0;
        if (polls >= QUIET_POLLS) return true;
        await pause(POLL_MS);
      }
      return false;
    },
    /** Sends the mails that wait for their next attempt now; resolves to how many there were, 0 while Redis is away. */
    async promoteMails(): Promise<number> {
      const count = await mails.getDelayedCount().catch(() => 0);
      if (count > 0) await mails.promoteJobs().catch(() => undefined);
      return count;
    },
    failedMails: (): Promise<number> => mails.getFailedCount(),
    async close(): Promise<void> {
      await Promise.all([mails.close(), dueWork.close()]);
      redis.disconnect();
    },
  };
}
