import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import * as v from 'valibot';
import type { Logger } from '#server/config/logger.ts';
import type { Metrics } from '#server/ops/metrics.ts';

/** So many points in a window that begins with the first one. */
interface Limit {
  points: number;
  seconds: number;
  /** An address is also counted for its IPv6 network; a mailbox without what follows a `+` in its name. */
  per:
    | 'address'
    | 'network'
    | 'mailbox'
    | 'registration'
    | 'submit'
    | 'name'
    | 'browser'
    | 'session'
    | 'site';
}

/**
 * What many draw on, and anybody can name. A stranger who has used up her own points takes none of these, not even until
 * they are given back: a flood of hers would refuse others, and leave a key in Redis for each name.
 */
const SHARED: readonly Limit['per'][] = ['mailbox', 'name', 'site', 'submit'];

const MINUTE = 60;
export const TEN_MINUTES = 10 * MINUTE;
const DAY = 24 * 60 * MINUTE;

export interface LimitSettings {
  /** New registrations of one address in ten minutes. */
  perAddress: number;
  /** New registrations of all visitors in a minute. */
  overall: number;
}

/** Every limit that all replicas share. */
const limitsOf = ({ perAddress, overall }: LimitSettings) =>
  ({
    /** Of any kind, also malformed: repeats and edits create no payment, but they call Stripe. */
    'registration-requests': { points: 4 * perAddress, seconds: TEN_MINUTES, per: 'address' },
    'registrations-by-address': { points: perAddress, seconds: TEN_MINUTES, per: 'address' },
    'registrations-overall': { points: overall, seconds: MINUTE, per: 'site' },
    'registration-edits': { points: perAddress, seconds: TEN_MINUTES, per: 'registration' },
    /** The same details again are admitted without a point of the others. */
    'registration-repeats': { points: 1, seconds: TEN_MINUTES, per: 'submit' },
    /** A payment is closed after five failed attempts, each of which sends the consent. */
    'registration-consents': { points: 10 * perAddress, seconds: TEN_MINUTES, per: 'address' },
    /** Letters to people who have not paid: anybody may have typed their addresses. */
    'letters-by-address': { points: 4 * perAddress, seconds: DAY, per: 'address' },
    'letters-by-email': { points: 3, seconds: DAY, per: 'mailbox' },
    'letters-overall': { points: 20 * overall, seconds: DAY, per: 'site' },
    /** Reads in one session of her page, and in all sessions that the links of a registration open. */
    'place-reads': { points: 60, seconds: TEN_MINUTES, per: 'session' },
    'place-reads-in-all': { points: 180, seconds: TEN_MINUTES, per: 'registration' },
    /** Wrong proofs that it is she, whichever link or session they come from. */
    'place-proofs': { points: 10, seconds: DAY, per: 'registration' },
    'place-confirmations': { points: 60, seconds: TEN_MINUTES, per: 'registration' },
    /** Links that are sent because her page was closed everywhere. */
    'place-links-once-closed': { points: 3, seconds: DAY, per: 'registration' },
    'place-links-to-address': { points: 3, seconds: DAY, per: 'mailbox' },
    'place-links-by-visitor': { points: 10, seconds: TEN_MINUTES, per: 'address' },
    /** Requests that open a page with the client secret of a payment. */
    'place-openings': { points: 20, seconds: TEN_MINUTES, per: 'address' },
    /** Tries to sign in from browsers in which the user has not signed in before. */
    'sign-in-network': { points: 10, seconds: 5 * MINUTE, per: 'network' },
    'sign-in-name': { points: 20, seconds: 15 * MINUTE, per: 'name' },
    /** A third of the time of one core: hashing must leave CPU time for the site. */
    'sign-in-all': { points: 30, seconds: MINUTE, per: 'site' },
    /** Tries from a browser in which she has signed in before; no stranger can use these up. */
    'sign-in-browser': { points: 10, seconds: 5 * MINUTE, per: 'browser' },
    /** A code of an authenticator is accepted once, while its step is in the window; a session ends once. */
    'code-steps': { points: 1, seconds: 90, per: 'name' },
    'session-ends': { points: 1, seconds: DAY / 2, per: 'session' },
  }) as const satisfies Readonly<Record<string, Limit>>;

/** An office or a campus may have a whole IPv6 network; so may an attacker. */
const ADDRESSES_PER_NETWORK = 4;
const NETWORK_BITS = 48;

type LimitName = keyof ReturnType<typeof limitsOf>;

/** One point under a limit, and who or what takes it. */
export type Point = readonly [limit: LimitName, of: string];

/** The limit that refuses, and for how long. */
export interface Refusal {
  limit: LimitName;
  waitS: number;
}

export type Limiter = ReturnType<typeof createLimiter>;

interface Dependencies {
  /** Made by `connectProducer`: its commands end in time. */
  redis: Redis;
  /** The keys in Redis are made with the first: they hold no address, e-mail address or name. */
  secrets: readonly string[];
  settings: LimitSettings;
  logger: Logger;
  metrics: Pick<Metrics, 'count'>;
}

/** After an error, Redis is not asked for this long: a request counts more than once, and waits once. */
const PAUSE_MS = 1_000;

interface Counter {
  name: string;
  limit: LimitName;
  shared: RateLimiterAbstract;
  local: RateLimiterAbstract;
}

/** A counter, the key under which it counts somebody, and how many points were taken. */
interface Counted {
  counter: Counter;
  key: string;
  points?: number;
}

const takenSchema = v.pipe(v.string(), v.parseJson(), v.array(v.tuple([v.string(), v.string(), v.number()])));

/** Counts for all replicas in Redis; in this process alone while Redis is away or hangs. */
export function createLimiter({ redis, secrets, settings, logger, metrics }: Dependencies) {
  const [secret = ''] = secrets;
  const hash = (text: string, key = secret): string =>
    createHmac('sha256', key).update(`limits ${text}`).digest('hex').slice(0, 32);
  const limits = limitsOf(settings);
  const counters = new Map<string, Counter>();
  /** @param times how many times as many points as one address has */
  const add = (limit: LimitName, name: string, times = 1): void => {
    const { points, seconds: duration } = limits[limit];
    const options = { points: points * times, duration, keyPrefix: `limits:${name}` };
    const shared = new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true });
    counters.set(name, { name, limit, shared, local: new RateLimiterMemory(options) });
  };
  for (const limit of Object.keys(limits) as LimitName[]) {
    add(limit, limit);
    if (limits[limit].per === 'address') add(limit, networkName(limit), ADDRESSES_PER_NETWORK);
  }

  let pausedUntilMs = 0;
  const isAway = (): boolean => redis.status !== 'ready' || performance.now() < pausedUntilMs;
  const failed = (err: unknown): void => {
    if (!isAway()) logger.warn({ err }, 'Redis cannot count, so this process counts in memory');
    pausedUntilMs = performance.now() + PAUSE_MS;
  };
  const ask = async <Answer>({ shared, local }: Counter, work: (by: RateLimiterAbstract) => Answer) => {
    if (!isAway()) {
      try {
        return await work(shared);
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        failed(error);
      }
    }
    return work(local);
  };

  const countedUnder = (one: string, [limit, of]: Point): Counted[] =>
    keysOf(limits[limit].per, of).flatMap(({ text, isNetwork }) => {
      const counter = counters.get(isNetwork ? networkName(limit) : limit);
      return counter ? [{ counter, key: hash(text, one) }] : [];
    });
  const countedOf = (point: Point): Counted[] => countedUnder(secret, point);
  const consume = ({ counter, key }: Counted): Promise<Refusal | undefined> =>
    ask(counter, (by) => {
      // Each registration is one such request at least.
      if (by === counter.local && counter.limit === 'registration-requests')
        metrics.count('registrations_counted_in_memory_total');
      return by.consume(key);
    }).then(
      () => undefined,
      (refused: unknown) => {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        return { limit: counter.limit, waitS: secondsOf(refused) };
      },
    );
  const giveBack = async ({ counter, key, points = 1 }: Counted): Promise<void> => {
    const { consumedPoints } = await ask(counter, (by) => by.reward(key, points));
    // Its window has ended: the points would be too many in the next.
    if (consumedPoints < 0) await ask(counter, (by) => by.delete(key));
  };
  const giveAllBack = async (counted: readonly Counted[]): Promise<void> => {
    await Promise.all(counted.map(giveBack));
  };
  const takeTogether = async (counted: readonly Counted[]): Promise<Refusal | undefined> => {
    const refusals = (await Promise.all(counted.map(consume))).filter((one) => one !== undefined);
    if (refusals.length > 0) await giveAllBack(counted);
    return refusals.toSorted((one, other) => other.waitS - one.waitS)[0];
  };
  const take = async (...points: Point[]): Promise<Refusal | undefined> => {
    const isShared = ([limit]: Point): boolean => SHARED.includes(limits[limit].per);
    const own = points.filter((point) => !isShared(point)).flatMap(countedOf);
    const ownRefusal = await takeTogether(own);
    if (ownRefusal) return ownRefusal;
    const refusal = await takeTogether(points.filter(isShared).flatMap(countedOf));
    if (refusal) await giveAllBack(own);
    return refusal;
  };
  /**
   * By whichever process, or by this one alone: Redis may have been away at that time, or be away now. Also under an
   * earlier secret.
   */
  const isTaken = async (point: Point): Promise<boolean> => {
    const counted = secrets.flatMap((one) => countedUnder(one, point));
    const counts = counted.flatMap(({ counter, key }) => [
      ask(counter, (by) => by.get(key)),
      counter.local.get(key),
    ]);
    return (await Promise.all(counts)).some((count) => count !== null && count.consumedPoints > 0);
  };
  return {
    /** Takes all of the points, or none: then the refusal that lasts longest, of her own limits first. */
    take,
    isTaken,
    async takeOnce(point: Point): Promise<boolean> {
      if ((await isTaken(point)) || (await take(point))) return false;
      const { seconds } = limits[point[0]];
      for (const { counter, key } of countedOf(point)) await counter.local.set(key, 1, seconds);
      return true;
    },
    giveBack: (...points: Point[]): Promise<void> => giveAllBack(points.flatMap(countedOf)),
    /** Remembers for ten minutes how many points were taken under a name, by their keys; not while Redis is away. */
    async remember(name: string, points: readonly (readonly [Point, number])[]): Promise<void> {
      if (isAway()) return;
      const taken = points.flatMap(([point, count]) =>
        countedOf(point).map(({ counter, key }) => [counter.name, key, count]),
      );
      await redis.set(takenUnder(name), JSON.stringify(taken), 'EX', TEN_MINUTES).catch(failed);
    },
    /** Gives back, once, what was remembered under a name. */
    async giveBackTaken(name: string): Promise<void> {
      const taken = isAway() ? null : await redis.getdel(takenUnder(name)).catch(failed);
      if (!taken) return;
      const known = v.parse(takenSchema, taken).flatMap(([counterName, key, points]) => {
        const counter = counters.get(counterName);
        return counter ? [{ counter, key, points }] : [];
      });
      await giveAllBack(known);
    },
  };

  function takenUnder(name: string): string {
    return `limits:taken:${hash(name)}`;
  }
}

/** How long a refusal lasts. */
export const secondsOf = ({ msBeforeNext }: RateLimiterRes): number =>
  Math.max(1, Math.ceil(msBeforeNext / 1000));

const networkName = (limit: LimitName): string => `${limit}-of-network`;

function keysOf(per: Limit['per'], of: string): { text: string; isNetwork?: true }[] {
  // Letters to `name+tag@…` come to the mailbox `name@…`, whatever the tag.
  if (per === 'mailbox') return [{ text: of.toLowerCase().replace(/\+[^@]*@/, '@') }];
  if (per !== 'address' || !ipaddr.IPv6.isValid(of)) return [{ text: of }];
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${of}/${NETWORK_BITS}`);
  return [{ text: of }, { text: String(network), isNetwork: true }];
}
