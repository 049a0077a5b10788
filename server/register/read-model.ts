import type { Redis } from 'ioredis';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import { formatRegistration, parseRegistration } from './stored-registration.ts';

/**
 * What Stripe has on record of the registrations of each edition, kept in Redis to be listed, counted and exported
 * without a read at Stripe. Where a webhook was lost it is up to six hours old: nothing is charged, refunded or decided by it.
 */
export interface ReadModel {
  /** To be taken before Stripe is read: of two reads of a registration, the one with the later turn stays. */
  takeTurn(): Promise<number>;
  /** Writes some registrations. */
  patch(turn: number, registrations: readonly RegistrationRecord[]): Promise<void>;
  /** Writes all registrations of all editions: others are removed, unless they were written with a later turn. */
  rebuild(turn: number, registrations: readonly RegistrationRecord[]): Promise<void>;
  /** The registrations of an edition, the newest first. */
  list(edition: Edition): Promise<RegistrationRecord[]>;
  /** One registration, by its deposit's payment. */
  find(edition: Edition, id: string): Promise<RegistrationRecord | undefined>;
  /** When one registration was read at Stripe, by the clock of Redis. */
  readAt(edition: Edition, id: string): Promise<Date | undefined>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** For so long after an edition its registrations are kept; the privacy text says so. */
const KEPT_AFTER_MS = 30 * DAY_MS;

const TURN_KEY = 'register:turn';
const keyOf = ({ id }: Facts): string => `register:${id}`;

/**
 * The time of Redis in microseconds, or one more than the last turn where that is later: after all of Redis was lost,
 * turns are still later than those of a walk that was under way.
 */
const TAKE_TURN = `
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[1]) or 0)
local turn = math.max(time[1] * 1000000 + time[2], last + 1)
redis.call('SET', KEYS[1], string.format('%.0f', turn))
return turn
`;

/**
 * Each field holds a turn and a registration. Arguments: the turn, for how many milliseconds the hash is kept, 1 when
 * these are all registrations of the edition, and of each one the field and what it is to hold.
 */
const WRITE = `
local turn, keptForMs, isAll = tonumber(ARGV[1]), ARGV[2], ARGV[3] == '1'
local function isLater(held)
  return held and tonumber(string.match(held, '^%d+') or 0) > turn
end
local written = {}
for at = 4, #ARGV, 2 do
  local field = ARGV[at]
  written[field] = true
  if not isLater(redis.call('HGET', KEYS[1], field)) then
    redis.call('HSET', KEYS[1], field, ARGV[1] .. ' ' .. ARGV[at + 1])
  end
end
if isAll then
  local held = redis.call('HGETALL', KEYS[1])
  for at = 1, #held, 2 do
    if not written[held[at]] and not isLater(held[at + 1]) then redis.call('HDEL', KEYS[1], held[at]) end
  end
end
redis.call('PEXPIRE', KEYS[1], keptForMs)
`;

/** The read model on a connection, by the site's own date: an edition that has long been over leaves nothing in it. */
export function createReadModel(redis: Redis, now: () => Date): ReadModel {
  const write = async (
    { facts }: Edition,
    turn: number,
    registrations: readonly RegistrationRecord[],
    isAll: boolean,
  ): Promise<void> => {
    const keptForMs = Date.parse(facts.endsAt) + KEPT_AFTER_MS - now().getTime();
    const fields = registrations.flatMap((one) => [one.id, formatRegistration(one)]);
    await redis.eval(WRITE, 1, keyOf(facts), turn, keptForMs, isAll ? 1 : 0, ...fields);
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
    async list(edition) {
      const values = Object.values(await redis.hgetall(keyOf(edition.facts)));
      return values.flatMap((value) => read(value, edition) ?? []).toSorted(newestFirst);
    },
    async find(edition, id) {
      const value = await redis.hget(keyOf(edition.facts), id);
      return value === null ? undefined : read(value, edition);
    },
    async readAt(edition, id) {
      const value = await redis.hget(keyOf(edition.facts), id);
      // A turn is a time in microseconds.
      return value === null ? undefined : new Date(Number.parseInt(value, 10) / 1000);
    },
  };
}

/** All editions, also those without any. */
function byEdition(registrations: readonly RegistrationRecord[]) {
  return editions.map(
    (edition) => [edition, registrations.filter((one) => one.edition === edition)] as const,
  );
}

function newestFirst(one: RegistrationRecord, other: RegistrationRecord): number {
  return other.begunAt.getTime() - one.begunAt.getTime() || (one.id < other.id ? -1 : 1);
}

/** Without its turn. */
function read(value: string, edition: Edition): RegistrationRecord | undefined {
  return parseRegistration(value.slice(value.indexOf(' ') + 1), edition);
}
