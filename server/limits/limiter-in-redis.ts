import * as v from 'valibot';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { nameOf, type Receipt, type Refusal, type Slot } from './limiter.ts';

/**
 * Takes all slots or none. Keys: those of the slots; with a receipt, then also those of the receipt and its
 * note. Arguments: for each slot its maximum, its window in milliseconds, and 1 when slots come back evenly
 * (its key then holds the moment until which they are taken); with a receipt, then also how long it is kept,
 * in milliseconds, and the value of its note. Returns the number of the slot that refuses, or 0, and for how
 * long.
 * @see https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
const TAKE = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local slots = math.floor(#ARGV / 3)
local receipt, note = KEYS[slots + 1], KEYS[slots + 2]
local keptForMs, noted = ARGV[3 * slots + 1], ARGV[3 * slots + 2]

local function bounds(slot)
  return tonumber(ARGV[3 * slot - 2]), tonumber(ARGV[3 * slot - 1]), ARGV[3 * slot] == '1'
end
local function takenUntil(slot)
  return math.max(tonumber(redis.call('GET', KEYS[slot]) or 0), nowMs)
end
local function waitFor(slot)
  local most, windowMs, evenly = bounds(slot)
  if evenly then return math.max(0, math.ceil(takenUntil(slot) + windowMs / most - nowMs - windowMs)) end
  if tonumber(redis.call('GET', KEYS[slot]) or 0) < most then return 0 end
  return math.max(1, redis.call('PTTL', KEYS[slot]))
end
local function take(slot)
  local most, windowMs, evenly = bounds(slot)
  if evenly then
    local untilMs = math.ceil(takenUntil(slot) + windowMs / most)
    redis.call('SET', KEYS[slot], string.format('%d', untilMs), 'PX', untilMs - nowMs)
  elseif redis.call('INCR', KEYS[slot]) == 1 then
    redis.call('PEXPIRE', KEYS[slot], windowMs)
  end
end

if receipt and redis.call('EXISTS', receipt) == 1 then return {0, 0} end
for slot = 1, slots do
  local waitMs = waitFor(slot)
  if waitMs > 0 then return {slot, waitMs} end
end
for slot = 1, slots do take(slot) end
if receipt then
  redis.call('SET', receipt, '', 'PX', keptForMs)
  redis.call('SET', note, noted, 'PX', keptForMs)
end
return {0, 0}
`;

/** A slot whose window is over has no key any more: giving it back changes nothing. */
const GIVE_BACK = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > tonumber(ARGV[1]) then
  redis.call('DECRBY', KEYS[1], ARGV[1])
else
  redis.call('DEL', KEYS[1])
end
`;

/** One script takes slots of several limits: the hash tag keeps all of their keys together in a cluster. */
const keyOf = (name: string): string => `{limits}:${name}`;

const answerSchema = v.tuple([v.pipe(v.number(), v.integer()), v.number()]);

/**
 * A limiter that all replicas share. Each method throws while Redis is unavailable. The caller owns the connection, and
 * closes it.
 */
export function limiterInRedis(redis: RedisClient) {
  return {
    async take(slots: readonly Slot[], receipt?: Receipt): Promise<Refusal | undefined> {
      const keys = slots.map(nameOf).map(keyOf);
      const bounds: (string | number)[] = slots.flatMap(boundsOf);
      if (receipt) {
        keys.push(keyOf(receipt.name), keyOf(receipt.note.name));
        bounds.push(receipt.keptForS * 1000, receipt.note.value);
      }
      const answer = await redis.eval(TAKE, keys.length, ...keys, ...bounds);
      const [number, waitMs] = v.parse(answerSchema, answer);
      const refusing = slots[number - 1];
      return refusing && { limit: refusing.limit.name, waitMs };
    },
    async giveBack(slot: Slot, count: number): Promise<void> {
      await redis.eval(GIVE_BACK, 1, keyOf(nameOf(slot)), count);
    },
    /**
     * The value that a receipt noted under this name; reading it removes it. Undefined when there is none, or
     * it has expired.
     */
    async takeNote(name: string): Promise<string | undefined> {
      return (await redis.getdel(keyOf(name))) ?? undefined;
    },
  };
}

function boundsOf({ limit }: Slot): number[] {
  return [limit.most, limit.windowS * 1000, limit.evenly ? 1 : 0];
}
