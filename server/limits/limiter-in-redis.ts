import * as v from 'valibot';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { type Limiter, nameOf, type Place } from './limiter.ts';

/**
 * Takes all places or none. Keys: those of the places; with a receipt, then also those of the receipt and its
 * note. Arguments: for each place its maximum, its window in milliseconds, and 1 when places come back evenly
 * (its key then holds the moment until which they are taken); with a receipt, then also how long it is kept,
 * in milliseconds, and the value of its note. Returns the number of the place that refuses, or 0, and for how
 * long.
 * @see https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
const TAKE = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local places = math.floor(#ARGV / 3)
local receipt, note = KEYS[places + 1], KEYS[places + 2]
local keptForMs, noted = ARGV[3 * places + 1], ARGV[3 * places + 2]

local function bounds(place)
  return tonumber(ARGV[3 * place - 2]), tonumber(ARGV[3 * place - 1]), ARGV[3 * place] == '1'
end
local function takenUntil(place)
  return math.max(tonumber(redis.call('GET', KEYS[place]) or 0), nowMs)
end
local function waitFor(place)
  local most, windowMs, evenly = bounds(place)
  if evenly then return math.max(0, math.ceil(takenUntil(place) + windowMs / most - nowMs - windowMs)) end
  if tonumber(redis.call('GET', KEYS[place]) or 0) < most then return 0 end
  return math.max(1, redis.call('PTTL', KEYS[place]))
end
local function take(place)
  local most, windowMs, evenly = bounds(place)
  if evenly then
    local untilMs = math.ceil(takenUntil(place) + windowMs / most)
    redis.call('SET', KEYS[place], string.format('%d', untilMs), 'PX', untilMs - nowMs)
  elseif redis.call('INCR', KEYS[place]) == 1 then
    redis.call('PEXPIRE', KEYS[place], windowMs)
  end
end

if receipt and redis.call('EXISTS', receipt) == 1 then return {0, 0} end
for place = 1, places do
  local waitMs = waitFor(place)
  if waitMs > 0 then return {place, waitMs} end
end
for place = 1, places do take(place) end
if receipt then
  redis.call('SET', receipt, '', 'PX', keptForMs)
  redis.call('SET', note, noted, 'PX', keptForMs)
end
return {0, 0}
`;

/** A place whose window is over has no key any more: giving it back changes nothing. */
const GIVE_BACK = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > tonumber(ARGV[1]) then
  redis.call('DECRBY', KEYS[1], ARGV[1])
else
  redis.call('DEL', KEYS[1])
end
`;

/** One script takes places of several limits, so the hash tag puts all of them into one slot of a cluster. */
const keyOf = (name: string): string => `{limits}:${name}`;

const answerSchema = v.tuple([v.pipe(v.number(), v.integer()), v.number()]);

/** A limiter that all replicas share. Each method throws while Redis is unavailable. */
export interface LimiterInRedis extends Limiter {
  /**
   * The value that a receipt noted under this name; reading it removes it. Undefined when there is none, or
   * it has expired.
   */
  takeNote(name: string): Promise<string | undefined>;
}

/** The caller owns the connection, and closes it. */
export function limiterInRedis(redis: RedisClient): LimiterInRedis {
  return {
    async take(places, receipt) {
      const keys = places.map(nameOf).map(keyOf);
      const bounds: (string | number)[] = places.flatMap(boundsOf);
      if (receipt) {
        keys.push(keyOf(receipt.name), keyOf(receipt.note.name));
        bounds.push(receipt.keptForS * 1000, receipt.note.value);
      }
      const answer = await redis.eval(TAKE, keys.length, ...keys, ...bounds);
      const [number, waitMs] = v.parse(answerSchema, answer);
      const refusing = places[number - 1];
      return refusing && { limit: refusing.limit.name, waitMs };
    },
    async giveBack(place, count) {
      await redis.eval(GIVE_BACK, 1, keyOf(nameOf(place)), count);
    },
    async takeNote(name) {
      return (await redis.getdel(keyOf(name))) ?? undefined;
    },
  };
}

function boundsOf({ limit }: Place): number[] {
  return [limit.most, limit.windowS * 1000, limit.evenly ? 1 : 0];
}
