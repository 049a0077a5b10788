import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import { readLastWholeWalk } from '#server/register/last-whole-walk.ts';
import { WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from '#server/register/walk.ts';

const POLL_MS = 50;
/** How many polls in a row have to find nothing in progress. */
const QUIET_POLLS = 2;
/** A walk that fails is continued a quarter of an hour later, by the machine's time: so it is asked for sooner. */
const ASK_AGAIN_MS = 5_000;

/** Watches the queues from outside the product, and hurries them. */
export function watchQuiet({ redisUrl }: { redisUrl: string }) {
  const redis = new Redis(redisUrl, {
    maxRetriesPerRequest: null,
    commandTimeout: 5_000,
    retryStrategy: () => 100,
  });
  const mails = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  const walks = new Queue<null>(WALK_QUEUE_NAME, queueOn(redis));
  // Redis is killed now and then.
  for (const each of [redis, mails, walks]) each.on('error', () => {});
  const askForWalk = async (): Promise<void> => {
    if (redis.status === 'ready') await walks.add(WALK_NOW, null, WALK_NOW_OPTIONS).catch(() => undefined);
  };
  const isQuiet = async (since: number): Promise<boolean> => {
    const last = await readLastWholeWalk(redis);
    if (!last || last.startedAt < since) return false;
    for (const queue of [mails, walks]) {
      const counts = await queue.getJobCounts('waiting', 'active', 'prioritized');
      if (Object.values(counts).some((count) => count > 0)) return false;
    }
    return true;
  };
  return {
    askForWalk,
    /**
     * Resolves to true once a whole walk began after a business moment and nothing is in progress; to false on timeout.
     */
    async until(since: number, timeoutMs: number): Promise<boolean> {
      const deadline = Date.now() + timeoutMs;
      let askAt = Date.now() + ASK_AGAIN_MS;
      let polls = 0;
      while (Date.now() < deadline) {
        if (Date.now() > askAt) {
          askAt += ASK_AGAIN_MS;
          await askForWalk();
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
      await Promise.all([mails.close(), walks.close()]);
      redis.disconnect();
    },
  };
}
