import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { Said } from '#server/acts/act.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { withTimeout } from '#server/service/with-timeout.ts';

/** What was done, for the page that is shown after the press. */
export interface Notice {
  heading: string;
  says: readonly Said[];
  by: string;
}

const KEPT_S = 10 * 60;
const REDIS_TIMEOUT_MS = 1_000;

const line = v.object({
  words: v.string(),
  keptCents: v.exactOptional(v.number()),
  why: v.exactOptional(v.string()),
  cents: v.number(),
});
const said = v.union([
  v.string(),
  v.object({ sum: v.array(line) }),
  v.object({ facts: v.array(v.array(v.string())) }),
]);
const noticeSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ heading: v.string(), says: v.array(said), by: v.string() }),
);
const nameSchema = v.pipe(v.string(), v.regex(/^[\w-]{22}$/));

/** Keeps notices of what was done for a while: the URL of a page contains only the name of a notice. */
export function createNotices(redis: RedisClient) {
  const keyOf = (name: string): string => `office:told:${name}`;
  return {
    /** Returns the name of the notice; undefined while Redis is down or hanging. */
    async keep(notice: Notice): Promise<string | undefined> {
      const name = randomBytes(16).toString('base64url');
      const kept = redis.set(keyOf(name), JSON.stringify(notice), 'EX', KEPT_S);
      return withTimeout(kept, REDIS_TIMEOUT_MS).then(
        () => name,
        () => undefined,
      );
    },
    async find(name: unknown): Promise<Notice | undefined> {
      const known = v.safeParse(nameSchema, name);
      if (!known.success) return undefined;
      const text = await withTimeout(redis.get(keyOf(known.output)), REDIS_TIMEOUT_MS).catch(() => null);
      const notice = v.safeParse(noticeSchema, text);
      return notice.success ? notice.output : undefined;
    },
  };
}
