import { setTimeout } from 'node:timers/promises';
import { Cluster } from 'ioredis';
import * as v from 'valibot';
import { logQueueErrors } from '#server/mail/queue-errors.ts';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { QUEUE_PREFIX } from '#server/redis/queue-on.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { AskForWalk } from './ask-for-walk.ts';
import { WALK_QUEUE_NAME } from './walk.ts';

/*
 * Moves what release 0.1 left in Redis, under keys without a hash tag, and what its apps still add there
 * while both run. This file, and the few lines that call it, can be deleted with the first release to which
 * nobody upgrades from 0.1.
 */

const EARLIER_PREFIX = 'bull';
const LETTERS = `${EARLIER_PREFIX}:${MAIL_QUEUE_NAME}:`;
const WALKS = `${EARLIER_PREFIX}:${WALK_QUEUE_NAME}:`;

const EVERY_MS = 1_000;
/**
 * How long after the last round a worker of 0.1 takes no letter; then it resumes, as after a rollback to that
 * release.
 */
const HELD_OFF_MS = 10_000;
/** Letters of one state per round: Redis is blocked while the script runs. */
const AT_ONCE = 500;
/** How long data that nobody reads any more is kept, so that a rollback to 0.1 is possible. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Works on BullMQ's own keys, as its API can neither add a job that is completed or failed, nor move a job
 * unchanged. A letter is in one state. A letter that both queues have counts as sent if either says so; else
 * this release's job is kept. A letter that an earlier worker is sending has a lock, and is left to that
 * worker. The script runs to its end once it has written anything, also when Redis is out of memory.
 * Arguments: the key prefixes of the earlier letters, of this release's letters and of the earlier walks; for
 * how many milliseconds the earlier workers take no letter; how many letters are moved at once; how long the
 * remaining keys are kept, in milliseconds, and these keys.
 */
const TAKE_OVER = `
local from, to, walks, atOnce, keptMs = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[5]), tonumber(ARGV[6])
local moved = 0
redis.call('SET', from .. 'limiter', '9007199254740991', 'PX', ARGV[4])

local function isLocked(job) return redis.call('EXISTS', job .. ':lock') == 1 end
local function take(id)
  if redis.call('EXISTS', from .. id) == 0 then return false end
  if redis.call('EXISTS', to .. id) == 1 then
    redis.call('DEL', from .. id)
    return false
  end
  redis.call('RENAME', from .. id, to .. id)
  moved = moved + 1
  return true
end

for _, id in ipairs(redis.call('ZRANGE', from .. 'completed', 0, atOnce - 1)) do
  if not isLocked(to .. id) then
    local score = redis.call('ZSCORE', from .. 'completed', id)
    if not redis.call('ZSCORE', to .. 'completed', id) then
      for _, list in ipairs({'wait', 'active'}) do redis.call('LREM', to .. list, 0, id) end
      for _, set in ipairs({'prioritized', 'delayed', 'failed'}) do redis.call('ZREM', to .. set, id) end
      redis.call('DEL', to .. id)
    end
    if take(id) then redis.call('ZADD', to .. 'completed', score, id) end
    redis.call('ZREM', from .. 'completed', id)
  end
end
for _, set in ipairs({'failed', 'delayed', 'prioritized'}) do
  local popped = redis.call('ZPOPMIN', from .. set, atOnce)
  for at = 1, #popped, 2 do
    if take(popped[at]) then redis.call('ZADD', to .. set, popped[at + 1], popped[at]) end
  end
end
for _, id in ipairs(redis.call('RPOP', from .. 'wait', atOnce) or {}) do
  if take(id) then redis.call('LPUSH', to .. 'wait', id) end
end
for _, id in ipairs(redis.call('LRANGE', from .. 'active', 0, -1)) do
  if not isLocked(from .. id) then
    redis.call('LREM', from .. 'active', 0, id)
    if take(id) then redis.call('RPUSH', to .. 'wait', id) end
  end
end
if redis.call('HDEL', from .. 'meta', 'paused') == 1 then redis.call('HSET', to .. 'meta', 'paused', 1) end
if moved > 0 then redis.call('ZADD', to .. 'marker', 0, '0') end

local walksAsked = 0
local function drop(list, id)
  redis.call('DEL', walks .. id)
  if redis.call('GET', walks .. 'de:now') == id then redis.call('DEL', walks .. 'de:now', walks .. 'dn:now') end
  if list ~= 'delayed' then walksAsked = walksAsked + 1 end
end
for _, id in ipairs(redis.call('LRANGE', walks .. 'wait', 0, -1)) do drop('wait', id) end
for _, id in ipairs(redis.call('ZRANGE', walks .. 'delayed', 0, -1)) do drop('delayed', id) end
for _, id in ipairs(redis.call('LRANGE', walks .. 'active', 0, -1)) do
  if not isLocked(walks .. id) then
    redis.call('LREM', walks .. 'active', 0, id)
    drop('active', id)
  end
end
for _, name in ipairs({'wait', 'delayed', 'repeat', 'repeat:walk'}) do redis.call('DEL', walks .. name) end

for at = 7, #ARGV do
  local leftMs = redis.call('PTTL', ARGV[at])
  if leftMs == -1 or leftMs > keptMs then redis.call('PEXPIRE', ARGV[at], keptMs) end
end
return {moved, walksAsked}
`;

const reply = v.tuple([v.number(), v.number()]);

/** The keys that BullMQ keeps for a queue beside its jobs. */
const REST = ['meta', 'id', 'events', 'marker', 'pc', 'stalled', 'de:now', 'dn:now'];

/**
 * All other keys of 0.1. They expire, because they may hold names and addresses that nothing else would
 * remove.
 */
const FORMER_KEYS = [
  ...[LETTERS, WALKS].flatMap((queue) => REST.map((name) => queue + name)),
  'register:turn',
  ...editions.flatMap(({ facts: { id } }) => [
    ...[`register:${id}`, `register:${id}:changes`],
    ...[`capacity:${id}`, `waiting:${id}`, `waiting:${id}:lapsed`],
  ]),
];

interface Dependencies {
  /** Made by `connectWorker`; closed by the caller. */
  redis: RedisClient;
  askForWalk: AskForWalk;
  logger: Logger;
}

export interface EarlierRelease {
  /**
   * Whether a letter with this job id is still in the earlier queue: it may be being sent, and is moved in a
   * second.
   */
  has(jobId: string): Promise<boolean>;
  close(): void;
}

/**
 * Moves letters to this release's queue once a second, and asks for a walk if one was requested in the
 * earlier queue. Does nothing on a cluster, on which that release never ran.
 */
export function takeOverEarlierRelease({ redis, askForWalk, logger }: Dependencies): EarlierRelease {
  const args = [LETTERS, `${QUEUE_PREFIX}:${MAIL_QUEUE_NAME}:`, WALKS, HELD_OFF_MS, AT_ONCE, KEPT_MS];
  const errors = logQueueErrors(redis, logger, 'Letters of an earlier release could not be moved');
  const rounds = new AbortController();
  const round = async (): Promise<void> => {
    // A Redis that release 0.1 never used has neither key, and nothing is written.
    const found = await Promise.all(['meta', 'id'].map((name) => redis.exists(LETTERS + name)));
    if (!found.includes(1)) return;
    const [letters, walks] = v.parse(reply, await redis.eval(TAKE_OVER, 0, ...args, ...FORMER_KEYS));
    if (letters > 0) logger.info({ letters }, 'Letters of an earlier release were moved to this one’s queue');
    if (walks > 0) await askForWalk();
    errors.worked();
  };
  const runRounds = async (): Promise<void> => {
    while (!rounds.signal.aborted) {
      if (redis.status === 'ready') await round().catch(errors.failed);
      await setTimeout(EVERY_MS, undefined, { signal: rounds.signal }).catch(() => {}); // It was closed.
    }
  };
  const isPossible = !(redis instanceof Cluster);
  if (isPossible) void runRounds();
  return {
    has: async (jobId) => isPossible && (await redis.exists(LETTERS + jobId)) === 1,
    close: () => rounds.abort(),
  };
}
