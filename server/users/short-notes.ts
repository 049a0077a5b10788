import type { RedisClient } from '#server/redis/redis-client.ts';
import { withTimeout } from '#server/service/with-timeout.ts';

/** A user who signs in or out may wait. */
const NOTE_TIMEOUT_MS = 1_000;

/** Each page looks: while Redis hangs, only one of them in a while waits for it. */
const LOOK_TIMEOUT_MS = 100;
const PAUSE_MS = 2_000;

/** Keeps names for a while, for all replicas, and for this process while Redis is away. */
export interface ShortNotes {
  /** Whether this is the first time that the name is noted while it is kept. */
  note(name: string, keptForMs: number): Promise<boolean>;
  has(name: string): Promise<boolean>;
}

/** @param time what the notes of this process go by */
export function createShortNotes(redis: RedisClient, prefix: string, time: () => Date): ShortNotes {
  const own = new Map<string, number>();
  const ownHas = (name: string): boolean => (own.get(name) ?? 0) > time().getTime();
  let pausedUntilMs = 0;
  /** What Redis says, if it says anything in time. */
  const ask = async <Answer>(work: () => Promise<Answer>, timeoutMs: number): Promise<Answer | undefined> => {
    if (redis.status !== 'ready' || performance.now() < pausedUntilMs) return undefined;
    return withTimeout(work(), timeoutMs).catch(() => {
      pausedUntilMs = performance.now() + PAUSE_MS;
      return undefined;
    });
  };
  return {
    async note(name, keptForMs) {
      const isFirstHere = !ownHas(name);
      const nowMs = time().getTime();
      for (const [one, untilMs] of own) if (untilMs <= nowMs) own.delete(one);
      own.set(name, nowMs + keptForMs);
      if (!isFirstHere) return false;
      // `null` says that it was there.
      const set = () => redis.set(`${prefix}:${name}`, '', 'PX', Math.ceil(keptForMs), 'NX');
      const noted = await ask(set, NOTE_TIMEOUT_MS);
      return noted !== null;
    },
    async has(name) {
      return ownHas(name) || (await ask(() => redis.exists(`${prefix}:${name}`), LOOK_TIMEOUT_MS)) === 1;
    },
  };
}
