import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import * as v from 'valibot';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/work.ts';

/** At most `most` slots in a window of time. */
export interface Limit {
  name: string;
  most: number;
  windowS: number;
  /**
   * Whether slots come back one by one, evenly over the window. Otherwise the window begins with the first
   * slot taken, and all slots come back when it ends.
   */
  evenly?: boolean;
}

/** A slot under a limit; `of` is who or what takes it, such as an address. */
export interface Slot {
  limit: Limit;
  of: string;
}

/** The record of an admission. */
export interface Receipt {
  /** While this name is kept, the same request is admitted again without taking slots. */
  name: string;
  /** A value that can be read later by its name. Only Redis keeps it. */
  note: { name: string; value: string };
  keptForS: number;
}

/** The limit that refuses, and for how long. */
export interface Refusal {
  limit: string;
  waitMs: number;
}

/** Counts and decides, each call atomically: a refused call takes no slot, not even for a moment. */
export interface Limiter {
  /** Takes all of the slots and returns undefined; or takes none, and returns the limit that refuses. */
  take(slots: readonly Slot[], receipt?: Receipt): Promise<Refusal | undefined>;
  /** Gives back up to `count` slots that are still taken; not under a limit whose slots come back evenly. */
  giveBack(slot: Slot, count: number): Promise<void>;
}

/** The name under which a slot is counted. */
export function nameOf({ limit, of }: Slot): string {
  return `${limit.name}:${of}`;
}

/** How long it takes until one more slot comes back evenly. */
function intervalMs({ most, windowS }: Limit): number {
  return (windowS * 1000) / most;
}

/**
 * How many slots are taken, and until when, in the time of `performance.now`. Slots that come back evenly
 * have no count.
 */
interface Tally {
  count: number;
  untilMs: number;
}

/** How often expired tallies are removed. */
const SWEEP_MS = 60_000;

/**
 * A limiter of this process alone.
 * @param mostNames how many slots are counted at most; beyond that, the least recently used are forgotten
 */
export function limiterInMemory(mostNames = Number.POSITIVE_INFINITY): Limiter {
  const tallies = new Map<string, Tally>();
  let sweptAtMs = performance.now();

  /** The map is kept in the order of the last use. */
  const keep = (name: string, tally: Tally): void => {
    tallies.delete(name);
    tallies.set(name, tally);
  };
  const find = (name: string): Tally | undefined => {
    const tally = tallies.get(name);
    if (!tally || tally.untilMs <= performance.now()) return undefined;
    keep(name, tally);
    return tally;
  };
  const takenUntilMs = (slot: Slot): number => find(nameOf(slot))?.untilMs ?? performance.now();

  const refusalBy = (slot: Slot): Refusal | undefined => {
    const { limit } = slot;
    if (limit.evenly) {
      const waitMs = takenUntilMs(slot) + intervalMs(limit) - performance.now() - limit.windowS * 1000;
      return waitMs > 0 ? { limit: limit.name, waitMs } : undefined;
    }
    const tally = find(nameOf(slot));
    if (!tally || tally.count < limit.most) return undefined;
    return { limit: limit.name, waitMs: tally.untilMs - performance.now() };
  };
  const takeOne = (slot: Slot): void => {
    const { limit } = slot;
    const tally = find(nameOf(slot));
    if (limit.evenly) keep(nameOf(slot), { count: 0, untilMs: takenUntilMs(slot) + intervalMs(limit) });
    else if (tally) tally.count += 1;
    else keep(nameOf(slot), { count: 1, untilMs: performance.now() + limit.windowS * 1000 });
  };
  const forget = (): void => {
    const nowMs = performance.now();
    if (nowMs > sweptAtMs + SWEEP_MS) {
      sweptAtMs = nowMs;
      for (const [name, { untilMs }] of tallies) if (untilMs <= nowMs) tallies.delete(name);
    }
    for (const name of tallies.keys()) {
      if (tallies.size <= mostNames) return;
      tallies.delete(name);
    }
  };
  return {
    async take(slots, receipt) {
      if (receipt && find(receipt.name)) return undefined;
      const refusal = slots.map(refusalBy).find((one) => one !== undefined);
      if (refusal) return refusal;
      slots.forEach(takeOne);
      if (receipt) keep(receipt.name, { count: 1, untilMs: performance.now() + receipt.keptForS * 1000 });
      forget();
      return undefined;
    },
    async giveBack(slot, count) {
      const tally = find(nameOf(slot));
      if (tally) tally.count = Math.max(0, tally.count - count);
    },
  };
}

/**
 * How long a request may wait for Redis to count while it hangs; with the mail's 150 ms, 250 in all (R5.1).
 */
const REDIS_TIMEOUT_MS = 100;
/**
 * After a timeout, Redis is not asked again for this long, by any request: a request asks more than once, and
 * Stripe in between.
 */
const REDIS_PAUSE_MS = 1_000;

const pausedUntilMs = new WeakMap<Redis, number>();

/**
 * Counts for all replicas in Redis; in this process only while Redis is unavailable or hangs.
 * @param warning for the log, when Redis does not answer in time
 */
export function sharedLimiter(redis: Redis, logger: Logger, warning: string, timeoutMs?: number) {
  const shared = limiterInRedis(redis);
  const local = limiterInMemory();
  const warn = (err: unknown): void => logger.warn({ err }, warning);
  return {
    /** @param onLocal called when Redis did not count */
    async take(
      slots: readonly Slot[],
      { receipt, onLocal }: { receipt?: Receipt; onLocal?: () => void } = {},
    ) {
      const count = async () => ({ refusal: await shared.take(slots, receipt) });
      const counted = await askRedis(redis, count, warn, timeoutMs);
      if (counted) return counted.refusal;
      onLocal?.();
      return local.take(slots, receipt);
    },
    /** Gives one slot back, wherever it was counted. */
    async giveBack(slot: Slot): Promise<void> {
      await local.giveBack(slot, 1);
      const give = async () => ({ given: await shared.giveBack(slot, 1) });
      await askRedis(redis, give, warn, timeoutMs);
    },
  };
}

/**
 * Runs a Redis command for which a visitor waits.
 * @param onFailure called with the reason why Redis did not answer in time; not while Redis is known to be
 *   unavailable
 * @returns undefined if there is no answer
 */
async function askRedis<Answer extends NonNullable<unknown>>(
  redis: Redis,
  ask: () => Promise<Answer>,
  onFailure: (error: unknown) => void,
  timeoutMs = REDIS_TIMEOUT_MS,
): Promise<Answer | undefined> {
  if (redis.status !== 'ready' || performance.now() <= (pausedUntilMs.get(redis) ?? 0)) return undefined;
  try {
    return await withTimeout(ask(), timeoutMs);
  } catch (error) {
    pausedUntilMs.set(redis, performance.now() + REDIS_PAUSE_MS);
    onFailure(error);
    return undefined;
  }
}

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

const keyOf = (name: string): string => `limits:${name}`;

const answerSchema = v.tuple([v.pipe(v.number(), v.integer()), v.number()]);

/**
 * A limiter that all replicas share. Each method throws while Redis is unavailable. The caller owns the connection, and
 * closes it.
 */
export function limiterInRedis(redis: Redis) {
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

/** An office or a campus may have a whole network; so may an attacker. */
const ADDRESSES_PER_NETWORK = 4;
const NETWORK_BITS = 48;

/**
 * The slots that a visitor takes under a limit: one for her address (see `visitorAddress`), and with IPv6 one for the
 * network that its holder may have, which has four times as many.
 */
export function visitorSlots(limit: Limit, address: string): Slot[] {
  const own = { limit, of: slotKey(address) };
  if (!ipaddr.IPv6.isValid(address)) return [own];
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${NETWORK_BITS}`);
  const ofNetwork = { ...limit, most: limit.most * ADDRESSES_PER_NETWORK };
  return [own, { limit: ofNetwork, of: slotKey(`${network}/${NETWORK_BITS}`) }];
}

/**
 * Names somebody whose slots are counted, since Redis must hold no IP address, e-mail address or name for long; and
 * somebody may have typed her password as the name.
 */
export function slotKey(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
