import type { Redis } from 'ioredis';
import * as v from 'valibot';
import {
  type Admission,
  type Admissions,
  nameOf,
  type Place,
  type Refusal,
  submitName,
} from './admissions.ts';

/**
 * `waitFor` says how long a place is taken, 0 when there is room. Arguments of a place: the most, the window in
 * milliseconds, and 1 when places come back evenly: then its key holds the moment until which they are taken.
 * @see https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
const PLACES = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
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
`;

/** Answers for how long the place refuses. */
const TAKE = `${PLACES}
local waitMs = waitFor(1)
if waitMs == 0 then take(1) end
return waitMs
`;

/**
 * Keys: those of the places, then the submit's and the registration's. Arguments after those of the places: how long the
 * last two are known, in milliseconds, and whose the registration is. Answers the number of the place that refuses, or
 * 0, and for how long.
 */
const ADMIT = `${PLACES}
local places, submit, registration = #KEYS - 2, KEYS[#KEYS - 1], KEYS[#KEYS]
local knownForMs, holder = ARGV[#ARGV - 1], ARGV[#ARGV]

if redis.call('EXISTS', submit) == 1 then return {0, 0} end
for place = 1, places do
  local waitMs = waitFor(place)
  if waitMs > 0 then return {place, waitMs} end
end
for place = 1, places do take(place) end
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

const waitSchema = v.number();
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
    async take(place) {
      const waitMs = v.parse(waitSchema, await redis.eval(TAKE, 1, nameOf(place), ...boundsOf(place)));
      return waitMs > 0 ? { limit: place.limit.name, waitMs } : undefined;
    },
    async admit(admission) {
      const { places, registration, holder, knownForS } = admission;
      const keys = [...places.map(nameOf), submitName(admission), holderName(registration)];
      const bounds = places.flatMap(boundsOf);
      const answer = await redis.eval(ADMIT, keys.length, ...keys, ...bounds, knownForS * 1000, holder);
      return refusalIn(answer, admission);
    },
    async takeHolder(registration) {
      return (await redis.getdel(holderName(registration))) ?? undefined;
    },
    async giveBack(place, count) {
      await redis.eval(GIVE_BACK, 1, nameOf(place), count);
    },
  };
}

function boundsOf({ limit }: Place): number[] {
  return [limit.most, limit.windowS * 1000, limit.evenly ? 1 : 0];
}

function holderName(registration: string): string {
  return `registration-address:${registration}`;
}

function refusalIn(answer: unknown, { places }: Admission): Refusal | undefined {
  const [number, waitMs] = v.parse(answerSchema, answer);
  const refusing = places[number - 1];
  return refusing && { limit: refusing.limit.name, waitMs };
}
