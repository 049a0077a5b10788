import type { RedisClient } from '#server/redis/redis-client.ts';
import { withTimeout } from '#server/service/with-timeout.ts';

/** Long, because a user who signs in or out may wait. */
const NOTE_TIMEOUT_MS = 1_000;

/** Short, because each page checks; while Redis hangs, only one page per pause waits for it. */
const LOOK_TIMEOUT_MS = 100;
const PAUSE_MS = 2_000;

/** Keeps names for a while, for all replicas in Redis, and for this process only while Redis is unavailable. */
export type ShortNotes = ReturnType<typeof createShortNotes>;

/** @param time the clock for the notes of this process */
export function createShortNotes(redis: RedisClient, prefix: string, time: () => Date) {
  const own = new Map<string, number>();
  const ownHas = (name: string): boolean => (own.get(name) ?? 0) > time().getTime();
  let pausedUntilMs = 0;
  const ask = async <Answer>(work: () => Promise<Answer>, timeoutMs: number): Promise<Answer | undefined> => {
    if (redis.status !== 'ready' || performance.now() < pausedUntilMs) return undefined;
    return withTimeout(work(), timeoutMs).catch(() => {
      pausedUntilMs = performance.now() + PAUSE_MS;
      return undefined;
    });
  };
  return {
    /** Notes a name. Returns whether it is the first time while the name is kept. */
    async note(name: string, keptForMs: number): Promise<boolean> {
      const isFirstHere = !ownHas(name);
      const nowMs = time().getTime();
      for (const [one, untilMs] of own) if (untilMs <= nowMs) own.delete(one);
      own.set(name, nowMs + keptForMs);
      if (!isFirstHere) return false;
      // `null` means that the name was there already.
      const set = () => redis.set(`${prefix}:${name}`, '', 'PX', Math.ceil(keptForMs), 'NX');
      const noted = await ask(set, NOTE_TIMEOUT_MS);
      return noted !== null;
    },
    async has(name: string): Promise<boolean> {
      return ownHas(name) || (await ask(() => redis.exists(`${prefix}:${name}`), LOOK_TIMEOUT_MS)) === 1;
    },
  };
}
