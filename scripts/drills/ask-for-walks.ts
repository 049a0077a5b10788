import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { queueOn } from '#server/redis/queue-on.ts';
import { WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from '#server/register/walk.ts';

/** Asks the workers for a walk, again and again until it is ended. */
export function askForWalks(redisUrl: string, everyMs: number) {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(WALK_QUEUE_NAME, queueOn(connection));
  // Redis is away now and then.
  connection.on('error', () => {});
  queue.on('error', () => {});
  const timer = setInterval(() => {
    if (connection.status === 'ready') queue.add(WALK_NOW, null, WALK_NOW_OPTIONS).catch(() => {});
  }, everyMs);
  return {
    async end() {
      clearInterval(timer);
      await queue.close();
      connection.disconnect();
    },
  };
}
