import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { MAIL_QUEUE_NAME } from '#server/mail/job.ts';
import { readLastWholeWalk } from '#server/register/last-whole-walk.ts';
import { WALK_QUEUE_NAME } from '#server/register/walk.ts';
import type { YearStage } from './stage.ts';

const POLL_MS = 50;
/** How often nothing is to be found under way, one time after the other. */
const QUIET_POLLS = 2;

/** Looks into the queues from outside. */
export interface Quiet {
  /** Resolves when a whole walk was begun after a business moment and nothing is under way; false when time is up. */
  until(since: number, timeoutMs: number): Promise<boolean>;
  /** Lets mails that wait for their next attempt go out now, and says how many did; none where Redis is away. */
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
  const queues = [MAIL_QUEUE_NAME, WALK_QUEUE_NAME].map((name) => new Queue(name, { connection: redis }));
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
      let polls = 0;
      while (Date.now() < deadline) {
        polls = (await isQuiet(since).catch(() => false)) ? polls + 1 : 0;
        if (polls >= QUIET_POLLS) return true;
        await pause(POLL_MS);
      }
      return false;
    },
    async promoteMails() {
      const [mails] = queues;
      if (!mails) return 0;
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
