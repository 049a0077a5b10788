import * as v from 'valibot';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Facts } from '#shared/content/edition.ts';

/** How long a place is held for a registrant, from her last submit or her consent on, in milliseconds. */
const HOLD_MS = 30 * 60_000;

/**
 * The longest time for which an unpaid registration holds a place, however often it is edited or agreed to,
 * in milliseconds.
 */
const MOST_HELD_MS = 60 * 60_000;

const DAY_MS = 24 * 60 * 60_000;
/** How long the places of an edition are kept after it ends: as long as its registrations. */
const KEPT_AFTER_MS = 30 * DAY_MS;

/** The braces are a hash tag: all keys of an edition's scripts are in one slot of a cluster. */
const placesKeyOf = ({ id }: Pick<Facts, 'id'>): string => `capacity:{${id}}`;
/** A hash: the people who wait for a place, by customer id. */
export const waitingKeyOf = ({ id }: Pick<Facts, 'id'>): string => `waiting:{${id}}`;

const memberOf = (registration: string): string => `registration:${registration}`;
const offerOf = (waitingId: string): string => `offer:${waitingId}`;

/** The registration that holds a place, or asks for one. */
export interface PlaceHolder {
  /** The name of a registration, see `registrationName`. */
  registration: string;
  /**
   * The name that the registration may have had shortly before: a place that is held under that name stays
   * under it.
   */
  before?: string | undefined;
  /**
   * Her customer id on the waiting list, if she was offered a place: while the offer lasts, it holds her
   * place already.
   */
  offer?: string | undefined;
  /** When the payment of the registration was created; absent while it is being created. */
  begunAt?: Date | undefined;
}

/** A registration as it is recorded in the register. */
export interface CountedRegistration extends Pick<PlaceHolder, 'registration' | 'offer'> {
  /**
   * Whether it takes a place, takes none, or is not decided yet (`open`): then it has a place only while one
   * is held for it.
   */
  place: 'taken' | 'free' | 'open';
}

/** The counts of an edition's places. */
export interface Places {
  places: number;
  paid: number;
  /** Held while somebody pays. */
  held: number;
  offered: number;
  /** The people who wait and have no valid offer. */
  waiting: number;
  /**
   * Whether all paid places are known: false while Redis is new or has lost its data, until the whole
   * register was read.
   */
  isCounted: boolean;
}

/** How many places are left for visitors, who come after everybody who waits. */
export function leftOf({ places, paid, held, offered, waiting }: Places): number {
  return Math.max(0, places - paid - held - offered - waiting);
}

/** The outcome of holding a place, and the counts after it. */
export interface Held extends Places {
  /**
   * `full`: no place is left, and nothing is held. `uncounted`: it is not known who has paid, so a place is
   * held whether or not one is left.
   */
  outcome: 'held' | 'full' | 'uncounted';
}

/**
 * The places of editions in Redis, counted by their holders; no counter is stored. Only for editions that
 * have a number of places. Each method throws while Redis is unavailable.
 */
export interface CapacityInRedis {
  /**
   * Holds a place for a registration for another 30 minutes, for an hour at most in all, or finds that it has
   * one.
   */
  hold(facts: Facts, holder: PlaceHolder): Promise<Held>;
  /**
   * Holds a place until a moment for a person who waits. If she was offered one already, it is held until
   * that moment instead.
   * @param mayExceed whether to hold the place even if none is left, such as one that was offered before
   *   Redis lost it
   * @returns `full` when none is left; people who wait do not count here, since the office decides who is
   *   next
   */
  offer(facts: Facts, waitingId: string, until: Date, mayExceed?: boolean): Promise<'held' | 'full'>;
  /** Ends an offer, be it accepted, declined or withdrawn. */
  endOffer(facts: Facts, waitingId: string): Promise<void>;
  /**
   * Writes which registrations take a place, as they were read at a turn of the read model: of two readings
   * of a registration, the one with the later turn wins.
   * @param isAll whether these are all registrations of the edition: then nobody else has paid, and the count
   *   is complete
   */
  note(
    facts: Facts,
    turn: number,
    registrations: readonly CountedRegistration[],
    isAll: boolean,
  ): Promise<void>;
  look(facts: Facts): Promise<Places>;
}

/**
 * One sorted set per edition. A score is either the moment until which the member holds a place, in
 * milliseconds; or, for a registration in the register, the turn at which it was read, in microseconds and so
 * a thousand times as large, negative where the registration takes no place. The member `counted` has the
 * turn of the last reading of all registrations, negated.
 */
const COMMON = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local set, waiting = KEYS[1], KEYS[2]
local TURNS = 1e15
local function text(number) return string.format('%.0f', number) end
local function scoreOf(member) return tonumber(redis.call('ZSCORE', set, member) or 0) end
local function isTaken(member) return member ~= '' and scoreOf(member) > nowMs end
local function isCounted() return scoreOf('counted') < 0 end
local function taken() return redis.call('ZCOUNT', set, '(' .. text(nowMs), '+inf') end
local function waitingWithoutOffer()
  local count = redis.call('HLEN', waiting)
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', set, '(' .. text(nowMs), '(' .. text(TURNS))) do
    local id = string.match(member, '^offer:(.+)$')
    if id and redis.call('HEXISTS', waiting, id) == 1 then count = count - 1 end
  end
  return count
end
local function look()
  local paid = redis.call('ZCOUNT', set, text(TURNS), '+inf')
  local offered = 0
  local holders = redis.call('ZRANGEBYSCORE', set, '(' .. text(nowMs), '(' .. text(TURNS))
  for _, member in ipairs(holders) do
    if string.find(member, '^offer:') then offered = offered + 1 end
  end
  return {paid, #holders - offered, offered, math.max(0, waitingWithoutOffer()), isCounted() and 1 or 0}
end
local function holdUntil(member, untilMs)
  if scoreOf(member) < untilMs then redis.call('ZADD', set, text(untilMs), member) end
end
local function forgetExpired()
  redis.call('ZREMRANGEBYSCORE', set, '0', text(nowMs))
end
`;

/** Arguments: how long the set is kept, the number of places, how long a place is held, the members: own, before, offer. */
const HOLD = `${COMMON}
local keptForMs, places, forMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local own, before, offer = ARGV[4], ARGV[5], ARGV[6]
forgetExpired()
local holder = own
local hasOne = true
if isTaken(offer) then holder = offer
elseif isTaken(before) then holder = before
elseif not isTaken(own) then hasOne = false end
local isKnown = isCounted()
if not hasOne and isKnown and places - taken() - waitingWithoutOffer() <= 0 then return {'full', look()} end
holdUntil(holder, nowMs + forMs)
redis.call('PEXPIRE', set, keptForMs)
return {(hasOne or isKnown) and 'held' or 'uncounted', look()}
`;

/**
 * Arguments: how long the set is kept, the number of places, the member, for how long it is held, and 1 when
 * it may exceed the number of places.
 */
const OFFER = `${COMMON}
local keptForMs, places, member, forMs = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local mayExceed = ARGV[5] == '1'
forgetExpired()
if not mayExceed and not isTaken(member) and taken() >= places then return 'full' end
redis.call('ZADD', set, text(nowMs + forMs), member)
redis.call('PEXPIRE', set, keptForMs)
return 'held'
`;

/**
 * Arguments: how long the set is kept, the turn, 1 when these are all registrations, and for each
 * registration its member, the member of its offer or '', and its `place`.
 */
const NOTE = `${COMMON}
local keptForMs, turn, isAll = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1'
local function isLater(score) return math.abs(score) > turn end
local noted = {}
for at = 4, #ARGV, 3 do
  local member, offer, place = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local score = scoreOf(member)
  noted[member] = true
  if place == 'taken' and offer ~= '' then redis.call('ZREM', set, offer) end
  if not isLater(score) then
    if place == 'taken' then redis.call('ZADD', set, text(turn), member)
    elseif place == 'free' then redis.call('ZADD', set, text(-turn), member) end
  end
end
if isAll then
  local all = redis.call('ZRANGE', set, 0, -1, 'WITHSCORES')
  for at = 1, #all, 2 do
    local member, score = all[at], tonumber(all[at + 1])
    if math.abs(score) >= TURNS and not noted[member] and not isLater(score) then redis.call('ZREM', set, member) end
  end
  if not isLater(scoreOf('counted')) then redis.call('ZADD', set, text(-turn), 'counted') end
end
redis.call('PEXPIRE', set, keptForMs)
`;

const LOOK = `${COMMON}
return look()
`;

const offerReply = v.picklist(['held', 'full']);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const lookReply = v.tuple([count, count, count, count, count]);
const holdReply = v.tuple([v.picklist(['held', 'full', 'uncounted']), lookReply]);

/**
 * The caller owns the connection, and closes it.
 * @param now the site's business date, by which keeping times and offers are computed
 */
export function capacityInRedis(redis: RedisClient, now: () => Date): CapacityInRedis {
  const run = (script: string, facts: Facts, args: readonly (string | number)[]): Promise<unknown> =>
    redis.eval(script, 2, placesKeyOf(facts), waitingKeyOf(facts), ...args);
  const keptForMs = ({ endsAt }: Facts): number => Date.parse(endsAt) + KEPT_AFTER_MS - now().getTime();
  return {
    async hold(facts, { registration, before, offer, begunAt = now() }) {
      const members = [memberOf(registration), before ? memberOf(before) : '', offer ? offerOf(offer) : ''];
      const leftMs = begunAt.getTime() + MOST_HELD_MS - now().getTime();
      const forMs = Math.max(0, Math.min(HOLD_MS, leftMs));
      const args = [keptForMs(facts), placesOf(facts), forMs, ...members];
      const [outcome, counts] = v.parse(holdReply, await run(HOLD, facts, args));
      return { outcome, ...placesIn(facts, counts) };
    },
    async offer(facts, waitingId, until, mayExceed = false) {
      const forMs = until.getTime() - now().getTime();
      const args = [keptForMs(facts), placesOf(facts), offerOf(waitingId), forMs, mayExceed ? 1 : 0];
      return v.parse(offerReply, await run(OFFER, facts, args));
    },
    async endOffer(facts, waitingId) {
      await redis.zrem(placesKeyOf(facts), offerOf(waitingId));
    },
    async note(facts, turn, registrations, isAll) {
      if (facts.places === undefined) return;
      const members = registrations.flatMap(({ registration, offer, place }) => [
        memberOf(registration),
        offer ? offerOf(offer) : '',
        place,
      ]);
      await run(NOTE, facts, [keptForMs(facts), turn, isAll ? 1 : 0, ...members]);
    },
    async look(facts) {
      return placesIn(facts, v.parse(lookReply, await run(LOOK, facts, [])));
    },
  };
}

function placesIn(facts: Facts, counts: v.InferOutput<typeof lookReply>): Places {
  const [paid, held, offered, waiting, isCounted] = counts;
  return { places: placesOf(facts), paid, held, offered, waiting, isCounted: isCounted === 1 };
}

function placesOf({ id, places }: Facts): number {
  if (places === undefined) throw new Error(`${id} has no number of places`);
  return places;
}
