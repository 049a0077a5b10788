import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import { readLastWholeWalk } from '#server/register/last-whole-walk.ts';
import { WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from '#server/register/walk.ts';
import type { YearStage } from './stage.ts';

const POLL_MS = 50;
/** How many polls in a row have to find nothing in progress. */
const QUIET_POLLS = 2;
/**
 * A walk that fails at Stripe is continued a quarter of an hour later, by the machine's time: so it is
 * requested sooner.
 */
const ASK_AGAIN_MS = 5_000;

/** Watches the queues from outside the product. */
export interface Quiet {
  /**
   * Resolves to true once a whole walk began after a business moment and nothing is in progress; to false on
   * timeout.
   */
  until(since: number, timeoutMs: number): Promise<boolean>;
  /**
   * Sends the mails that wait for their next attempt now, and returns how many there were; 0 while Redis is
   * away.
   */
  promoteMails(): Promise<number>;
  close(): Promise<void>;
}

export function watchQuiet({ redisUrl }: Pick<YearStage, 'redisUrl'>): Quiet {
  const redis = new Redis(redisUrl, {
    maxRetriesPerRequest: null,
    commandTimeout: 1_000,
    retryStrategy: () => 100,
  });
  redis.on('error', () => {
    // Redis is killed now and then.
  });
  const mails = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  const walks = new Queue<null>(WALK_QUEUE_NAME, queueOn(redis));
  const queues = [mails, walks];
  for (const queue of queues) queue.on('error', () => {});
  const isQuiet = async (since: number): Promise<boolean> => {
    const last = await readLastWholeWalk(redis);
    if (!last || last.startedAt < since) return false;
    for (const queue of queues) {
      const {
        waiting = 0,
        active = 0,
        prioritized = 0,
      } = await queue.getJobCounts('waiting', 'active', 'prioritized');
      if (waiting + active + prioritized > 0) return false;
    }
    return true;
  };
  return {
    async until(since, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      let askAt = Date.now() + ASK_AGAIN_MS;
      let polls = 0;
      while (Date.now() < deadline) {
        if (Date.now() > askAt) {
          askAt += ASK_AGAIN_MS;
          await walks.add(WALK_NOW, null, WALK_NOW_OPTIONS).catch(() => undefined);
        }
        polls = (await isQuiet(since).catch(() => false)) ? polls + 1 : 0;
        if (polls >= QUIET_POLLS) return true;
        await pause(POLL_MS);
      }
      return false;
    },
    async promoteMails() {
      return mails.getDelayedCount().then(
        async (count) => {
          await mails.promoteJobs();
          return count;
        },
        () => 0,
      );
    },
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      redis.disconnect();
    },
  };
}
