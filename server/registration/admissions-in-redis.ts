import type { Redis } from 'ioredis';
import * as v from 'valibot';
import { type Admissions, nameOf, type Place, type Refusal, submitName } from './admissions.ts';

/**
 * Keys: those of the request and of the places, then the submit's and the registration's. Arguments: the most and the
 * window of each place, then how long the last two are known and whose the registration is; times in milliseconds.
 * Answers the number of the place that refuses, or 0, and for how long.
 */
const ADMIT = `
local places, submit, registration = #KEYS - 2, KEYS[#KEYS - 1], KEYS[#KEYS]
local knownForMs, holder = ARGV[#ARGV - 1], ARGV[#ARGV]

local function isFull(place)
  return tonumber(redis.call('GET', KEYS[place]) or 0) >= tonumber(ARGV[2 * place - 1])
end
local function refusal(place)
  return {place, redis.call('PTTL', KEYS[place])}
end
local function take(place)
  if redis.call('INCR', KEYS[place]) == 1 then
    redis.call('PEXPIRE', KEYS[place], ARGV[2 * place])
  end
end

if isFull(1) then return refusal(1) end
take(1)
if redis.call('EXISTS', submit) == 1 then return {0, 0} end
for place = 2, places do
  if isFull(place) then return refusal(place) end
end
for place = 2, places do take(place) end
redis.call('SET', submit, '', 'PX', knownForMs)
redis.call('SET', registration, holder, 'PX', knownForMs)
return {0, 0}
`;

/** Nothing is left of a place whose window is over: to give it back makes no room. */
const GIVE_BACK = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > tonumber(ARGV[1]) then
  redis.call('DECRBY', KEYS[1], ARGV[1])
else
  redis.call('DEL', KEYS[1])
end
`;

const answerSchema = v.tuple([v.pipe(v.number(), v.integer()), v.number()]);

/** Those of all replicas. */
export interface SharedAdmissions extends Admissions {
  /** Who asked for a registration of late, once; undefined when nobody did. */
  takeHolder(registration: string): Promise<string | undefined>;
  /** Gives back as many as are still taken, at most so many. */
  giveBack(place: Place, count: number): Promise<void>;
}

/** On a connection that stays its owner's. */
export function admissionsInRedis(redis: Redis): SharedAdmissions {
  return {
    async admit(admission) {
      const { request, places, registration, knownForS } = admission;
      const all = [request, ...places];
      const keys = [...all.map(nameOf), submitName(admission), holderName(registration)];
      const bounds = all.flatMap(({ limit }) => [limit.most, limit.windowS * 1000]);
      const answer = await redis.eval(ADMIT, keys.length, ...keys, ...bounds, knownForS * 1000, request.of);
      return refusalIn(answer, all);
    },
    async takeHolder(registration) {
      return (await redis.getdel(holderName(registration))) ?? undefined;
    },
    async giveBack(place, count) {
      await redis.eval(GIVE_BACK, 1, nameOf(place), count);
    },
  };
}

function holderName(registration: string): string {
  return `registration-address:${registration}`;
}

function refusalIn(answer: unknown, places: readonly Place[]): Refusal | undefined {
  const [number, waitMs] = v.parse(answerSchema, answer);
  const refusing = places[number - 1];
  return refusing && { limit: refusing.limit.name, waitMs };
}
