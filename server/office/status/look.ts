import { totalmem } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { MailQueue } from '#server/mail/queue.ts';
import type { OfficeOptions } from '#server/office/office-dependencies.ts';
import { measureInTime } from '#server/ops/mail-metrics.ts';
import { mastersOf, type RedisClient } from '#server/redis/redis-client.ts';
import { readLastDueWork } from '#server/register/due-work.ts';
import { needsRoom } from '#server/register/office-needs.ts';
import { countRegister } from '#server/register/register-counts.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { editions } from '#shared/content/compiled/editions.ts';

const TIMEOUT_MS = 1_000;
/** How often the event loop's delay is measured; each measurement includes it. */
const RESOLUTION_MS = 20;

/** The state of the product at a moment, as one process of the app sees it. */
export type Look = Awaited<ReturnType<ReturnType<typeof createLooker>['look']>>;

/** What was read from Redis; each value is undefined if it could not be read. */
export type InRedis = NonNullable<Look['inRedis']>;

type Needed = 'redis' | 'mailQueue' | 'registerProbe' | 'database' | 'now';

export interface LookDependencies extends Pick<OfficeOptions, Needed> {
  payments: Pick<OfficeOptions['payments'], 'isReachable'>;
}

/** Returns a function that reads the state of the product within a second, and one that ends its measuring. */
export function createLooker(
  { redis, mailQueue, payments, registerProbe, database, now }: LookDependencies,
  time: () => Date,
) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const look = async () => {
    const needRoom = Promise.all(editions.map((edition) => needsRoom(database, edition, now())));
    const [inRedis, counts, rooms] = await Promise.all([
      askRedis(redis, mailQueue),
      withTimeout(countRegister(database), TIMEOUT_MS).catch(() => undefined),
      withTimeout(needRoom, TIMEOUT_MS).catch(() => undefined),
    ]);
    return {
      at: time(),
      /** Undefined while Redis is down or hanging. */
      inRedis,
      /** What the register holds; undefined while it cannot be read. */
      counts,
      /**
       * Whether letters are to lead to a video room within a week, and nobody has said where it is; undefined as `counts`.
       */
      isRoomMissing: rooms?.includes(true),
      /** Whether Stripe answered when this process last asked it; undefined before. */
      stripeAnswered: payments.isReachable(),
      /** Whether this process could write into the register when it last did, each minute. */
      isRegisterWritable: registerProbe.isWritable(),
      /** Whether it was restored and nobody has confirmed it yet. */
      isRegisterRestored: registerProbe.isRestored(),
      /** When the register's newest copy was made; undefined where this site makes none. */
      copiedAt: registerProbe.copiedAt(),
      uptimeSeconds: process.uptime(),
      memoryBytes: process.memoryUsage.rss(),
      /** The used share of the nearer limit, that of the container's memory or that of Node's heap, from 0 to 1. */
      memoryShare: memoryShare(),
      /** The longest time since the last look in which the event loop was blocked. */
      holdUpSeconds: longestSince(delays),
    };
  };
  return { look, close: () => void delays.disable() };
}

async function askRedis(redis: RedisClient, mailQueue: MailQueue) {
  if (redis.status !== 'ready') return undefined;
  const inTime = <Value>(work: Promise<Value>) => withTimeout(work, TIMEOUT_MS).catch(() => undefined);
  const [isThere, mails, workers, dueWork, memory] = await Promise.all([
    mailQueue.isAnswering(),
    measureInTime(mailQueue),
    inTime(mailQueue.bullQueue.getWorkersCount()),
    inTime(readLastDueWork(redis)),
    Promise.all(mastersOf(redis).map((server) => inTime(server.info('memory')))),
  ]);
  if (!isThere) return undefined;
  return {
    mails,
    workers,
    /** When the worker had last done what was due, by the machine's time. */
    dueWorkAt: dueWork && new Date(dueWork.endedAt),
    /** The used share of the memory that Redis may use, from 0 to 1; undefined if it has no limit. */
    usedShare: fullestOf(memory),
  };
}

/** The share of the fullest server: a cluster refuses writes to keys of that server. */
function fullestOf(memory: readonly (string | undefined)[]): number | undefined {
  const shares = memory.flatMap((info) => usedShareOf(info ?? '') ?? []);
  return shares.length > 0 ? Math.max(...shares) : undefined;
}

/** @see https://redis.io/docs/latest/commands/info/ `maxmemory` is 0 where there is no limit. */
function usedShareOf(info: string): number | undefined {
  const numberOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const most = numberOf('maxmemory');
  return most > 0 ? numberOf('used_memory') / most : undefined;
}

function memoryShare(): number {
  // 0 or undefined if it is not known, and a number beyond the machine's memory if there is no limit.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const heap = getHeapStatistics();
  return Math.max(
    process.memoryUsage.rss() / Math.min(constrained, totalmem()),
    heap.used_heap_size / heap.heap_size_limit,
  );
}

function longestSince(delays: IntervalHistogram): number {
  const longestMs = delays.count > 0 ? delays.max / 1e6 - RESOLUTION_MS : 0;
  delays.reset();
  return Math.max(0, longestMs) / 1000;
}
