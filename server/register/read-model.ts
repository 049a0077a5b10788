import * as v from 'valibot';
import { placeOfRecord } from '#server/payments/place-of-record.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import type { Places } from './places.ts';
import { formatRegistration, parseRegistration } from './stored-registration.ts';

/**
 * What is on record of the registrations of each edition, kept in Redis to be listed, counted and
 * exported without a read at Stripe. Each write also updates the count of the edition's places, with the same
 * turn. Where a webhook was lost it is up to six hours old: nothing is charged, refunded or decided based on
 * it.
 */
export interface ReadModel {
  /**
   * To be taken before Stripe is read: of two reads of a registration, the one with the later turn is kept.
   */
  takeTurn(): Promise<number>;
  /** Writes some registrations. */
  patch(turn: number, registrations: readonly RegistrationRecord[]): Promise<void>;
  /**
   * Writes all registrations of all editions, and removes others, unless they were written with a later turn.
   */
  rebuild(turn: number, registrations: readonly RegistrationRecord[]): Promise<void>;
  /** The registrations of an edition, the newest first. */
  list(edition: Edition): Promise<RegistrationRecord[]>;
  /** One registration, by its deposit's payment. */
  find(edition: Edition, id: string): Promise<RegistrationRecord | undefined>;
  /** When one registration was read at Stripe, by the clock of Redis. */
  readAt(edition: Edition, id: string): Promise<Date | undefined>;
  /** Some registrations, in the order of their ids; undefined for those that are not there. */
  findSome(edition: Edition, ids: readonly string[]): Promise<(RegistrationRecord | undefined)[]>;
  /** Which registrations of an edition have changed after a version, including removed ones. */
  changesSince(edition: Edition, version: number): Promise<RegisterChanges>;
}

/** What a process that holds registrations in memory has to read again. */
export interface RegisterChanges {
  /** The version of the present content; 0 where that is not known. */
  version: number;
  /** The payments of the deposits. */
  ids: readonly string[];
  /** `ids` are all that there are: changes were not noted since that version, or not at all. */
  isWhole: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long after an edition its registrations are kept; the privacy text states it. */
const KEPT_AFTER_MS = 30 * DAY_MS;

const TURN_KEY = 'register:turn';
/** The braces are a hash tag: both keys of an edition are in the same slot of a cluster. */
const keyOf = ({ id }: Facts): string => `register:{${id}}`;
const changesKeyOf = ({ id }: Facts): string => `register:{${id}}:changes`;
/** The member of the changes that holds the version since which they are noted. */
const NOTED_SINCE = 'since';

/**
 * The time of Redis in microseconds, or one more than the last turn where that is later. So even after all of
 * Redis was lost, new turns are later than the turn of a walk that was in progress.
 */
const TAKE_TURN = `
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[1]) or 0)
local turn = math.max(time[1] * 1000000 + time[2], last + 1)
redis.call('SET', KEYS[1], string.format('%.0f', turn))
return turn
`;

/**
 * Each field holds a turn and a registration. Changes are noted in a sorted set, each registration with the
 * version at which it last changed, so that a process that holds registrations in memory reads only these
 * again: a walk writes all of them, and changes few. Versions come from Redis's clock, as turns do.
 * Arguments: the turn, for how many milliseconds the keys are kept, 1 when these are all registrations of the
 * edition, and for each one the field and its value.
 */
const WRITE = `
local turn, keptForMs, isAll = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1'
local time = redis.call('TIME')
local last = tonumber(redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2] or 0)
local version = string.format('%.0f', math.max(time[1] * 1000000 + time[2], last + 1))
redis.call('ZADD', KEYS[2], 'NX', version, '${NOTED_SINCE}')
local function isLater(held)
  return held and tonumber(string.match(held, '^%d+') or 0) > turn
end
local written = {}
for at = 4, #ARGV, 2 do
  local field, text = ARGV[at], ' ' .. ARGV[at + 1]
  written[field] = true
  local held = redis.call('HGET', KEYS[1], field)
  if not isLater(held) then
    redis.call('HSET', KEYS[1], field, ARGV[1] .. text)
    if not held or string.sub(held, -#text) ~= text then redis.call('ZADD', KEYS[2], version, field) end
  end
end
if isAll then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if not written[field] and not isLater(redis.call('HGET', KEYS[1], field)) then
      redis.call('HDEL', KEYS[1], field)
      redis.call('ZADD', KEYS[2], version, field)
    end
  end
end
redis.call('PEXPIRE', KEYS[1], keptForMs)
redis.call('PEXPIRE', KEYS[2], keptForMs)
`;

/**
 * Argument: the version that the caller knows. If it is older than all notes, or newer, Redis was lost in
 * between.
 */
const CHANGES = `
local known = tonumber(ARGV[1])
local since = tonumber(redis.call('ZSCORE', KEYS[2], '${NOTED_SINCE}') or 0)
local version = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2] or '0'
if since == 0 or known < since or known > tonumber(version) then
  return {version, '1', redis.call('HKEYS', KEYS[1])}
end
return {version, '0', redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf')}
`;

const changesReply = v.tuple([
  v.pipe(v.string(), v.transform(Number)),
  v.picklist(['0', '1']),
  v.array(v.string()),
]);

/**
 * The read model on a connection, by the site's clock: it keeps nothing of an edition that has long been
 * over.
 */
export function createReadModel(
  redis: RedisClient,
  now: () => Date,
  places: Pick<Places, 'note'>,
): ReadModel {
  const write = async (
    { facts }: Edition,
    turn: number,
    registrations: readonly RegistrationRecord[],
    isAll: boolean,
  ): Promise<void> => {
    const keptForMs = Date.parse(facts.endsAt) + KEPT_AFTER_MS - now().getTime();
    const fields = registrations.flatMap((one) => [one.id, formatRegistration(one)]);
    const keys = [keyOf(facts), changesKeyOf(facts)];
    await redis.eval(WRITE, keys.length, ...keys, turn, keptForMs, isAll ? 1 : 0, ...fields);
    await places.note(turn, registrations.map(placeOfRecord));
  };
  return {
    takeTurn: async () => Number(await redis.eval(TAKE_TURN, 1, TURN_KEY)),
    async patch(turn, registrations) {
      for (const [edition, some] of byEdition(registrations)) {
        if (some.length > 0) await write(edition, turn, some, false);
      }
    },
    async rebuild(turn, registrations) {
      for (const [edition, all] of byEdition(registrations)) await write(edition, turn, all, true);
    },
    list: (edition) => listRegistrations(redis, edition),
    async find(edition, id) {
      const value = await redis.hget(keyOf(edition.facts), id);
      return value === null ? undefined : read(value, edition);
    },
    async readAt(edition, id) {
      const value = await redis.hget(keyOf(edition.facts), id);
      // A turn is a time in microseconds.
      return value === null ? undefined : new Date(Number.parseInt(value, 10) / 1000);
    },
    async findSome(edition, ids) {
      if (ids.length === 0) return [];
      const values = await redis.hmget(keyOf(edition.facts), ...ids);
      return values.map((value) => (value === null ? undefined : read(value, edition)));
    },
    async changesSince({ facts }, since) {
      const reply = await redis.eval(CHANGES, 2, keyOf(facts), changesKeyOf(facts), since);
      const [version, isWhole, ids] = v.parse(changesReply, reply);
      return { version, isWhole: isWhole === '1', ids };
    },
  };
}

/** The registrations of an edition in the read model, the newest first. */
export async function listRegistrations(redis: RedisClient, edition: Edition): Promise<RegistrationRecord[]> {
  const values = Object.values(await redis.hgetall(keyOf(edition.facts)));
  return values.flatMap((value) => read(value, edition) ?? []).toSorted(newestFirst);
}

/** The registrations by edition, including editions without any. */
function byEdition(registrations: readonly RegistrationRecord[]) {
  return editions.map(
    (edition) => [edition, registrations.filter((one) => one.edition === edition)] as const,
  );
}

function newestFirst(one: RegistrationRecord, other: RegistrationRecord): number {
  return other.begunAt.getTime() - one.begunAt.getTime() || (one.id < other.id ? -1 : 1);
}

/** Parses a field's value, without its turn. */
function read(value: string, edition: Edition): RegistrationRecord | undefined {
  return parseRegistration(value.slice(value.indexOf(' ') + 1), edition);
}
