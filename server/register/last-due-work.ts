import * as v from 'valibot';
import type { RedisClient } from '#server/redis/redis-client.ts';

/** All of it is about the worker's rhythm: if Redis loses it, the worker catches up once more. */
const LAST_KEY = 'due-work:last';
const CAUGHT_UP_KEY = 'due-work:caught-up';
/** How much each register held, by its name. */
const VERSION_KEY = 'due-work:version';

/** How often the worker catches up with Stripe. */
const CATCH_UP_EVERY_S = 15 * 60;

const lastSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    /** By the site's clock, in milliseconds since the epoch. */
    startedAt: v.number(),
    /** By the machine's. */
    endedAt: v.number(),
  }),
);

/** When what was due was last done, by whichever worker; undefined before the first time. */
export async function readLastDueWork(
  redis: RedisClient,
): Promise<v.InferOutput<typeof lastSchema> | undefined> {
  const read = v.safeParse(lastSchema, await redis.get(LAST_KEY));
  return read.success ? read.output : undefined;
}

export async function noteDueWork(redis: RedisClient, startedAt: Date): Promise<void> {
  await redis.set(LAST_KEY, JSON.stringify({ startedAt: startedAt.getTime(), endedAt: Date.now() }));
}

/** How much a register held when the worker last did what was due; 0 where that is not known. */
export async function readVersion(redis: RedisClient, register: string): Promise<number> {
  return Number((await redis.get(`${VERSION_KEY}:${register}`)) ?? 0);
}

export async function noteVersion(redis: RedisClient, register: string, version: number): Promise<void> {
  await redis.set(`${VERSION_KEY}:${register}`, version);
}

/** Whether it is time to catch up with Stripe: for one worker every quarter of an hour, and when it was asked for. */
export async function isToCatchUp(redis: RedisClient): Promise<boolean> {
  return (await redis.set(CAUGHT_UP_KEY, 1, 'EX', CATCH_UP_EVERY_S, 'NX')) !== null;
}

/** Has the worker catch up with Stripe the next time that it does what is due. */
export async function askToCatchUp(redis: RedisClient): Promise<void> {
  await redis.del(CAUGHT_UP_KEY);
}
