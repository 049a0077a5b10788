import { totalmem } from 'node:os';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { COPY_LATE_S } from '#server/database/copies.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { OfficeOptions } from '#server/office/office-dependencies.ts';
import { measureInTime, type QueueMeasurement } from '#server/ops/mail-metrics.ts';
import type { RegistrationState } from '#server/record/registration-state.ts';
import { mastersOf, type RedisClient } from '#server/redis/open-redis.ts';
import { readLastDueWork } from '#server/register/due-work.ts';
import { needsRoom } from '#server/register/office-needs.ts';
import { countRegister, type RegisterCounts } from '#server/register/register-counts.ts';
import type { Group } from '#server/register/registration-index.ts';
import { withTimeout } from '#server/service/work.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { tellZonedTime } from '#shared/zoned-time.ts';
import { type Advice, overdueAdvice, runBook } from './run-book.ts';

const { timeZone } = edition.timetable;

/** The time zone of the retreat, in which the page shows times. */
export const zoneName: string = timeZone.name;

/** `Fri, Jan 23, 1:30 pm`, in the time zone of the retreat. */
export function formatMoment(moment: Date): string {
  const { day, clock } = tellZonedTime(moment, timeZone.id, '12');
  return `${day}, ${clock}`;
}

/** Only the time of day. */
export const formatClock = (moment: Date): string => tellZonedTime(moment, timeZone.id, '12').clock;

/** `40 s`, `12 min`, `3 h 5 min`, `2 days 4 h`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${Math.floor(seconds)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  const days = Math.floor(hours / 24);
  if (days === 0) return `${hours} h ${minutes % 60} min`;
  return `${days} ${days === 1 ? 'day' : 'days'} ${hours % 24} h`;
}

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
      /** Why nothing goes out of it; undefined where all does. */
      hold: registerProbe.hold(),
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
    /** How far its clock was ahead of Stripe's then, in seconds, where that is too much for money to move. */
    clockAheadSeconds: dueWork?.clockAheadS,
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

/** `unknown`: it cannot be known, because Redis is unavailable, or because it was not checked yet. */
export type Verdict = 'down' | 'look' | 'unknown' | 'fine';

/** The rating of one part of the product. */
export interface Finding extends Rating {
  part: string;
}

interface Rating {
  verdict: Verdict;
  says: string;
  advice: readonly ({
    /** How many of the findings this advice is about; absent if it is about all. */
    count?: number;
  } & Advice)[];
  /** The filter of the office's list that shows whom it is about. */
  listed?: Group;
}

/** The thresholds of the alerts. */
const OLDEST_MAIL_S = 900;
const DUE_WORK_LATE_S = 2_700;

const FULL = 0.9;
const MEMORY_SHORT = 0.85;
const HOLD_UP_S = 1;
/** From this many refused registrations within a quarter of an hour, they are more than a few people in a hurry. */
const MANY_REFUSED = 10;

/** What is judged by how often it happened in the last quarter of an hour. */
type Recent = 'requestsFailed' | 'stripeFailed' | 'registrationsRefused' | 'signInsRefused';

export function judge(look: Look, recent: (count: Recent) => number): Finding[] {
  const { counts } = look;
  const mails = look.inRedis?.mails;
  const ratings: Record<string, Rating | undefined> = {
    'The register': rateRegister(look),
    'Copies of the register': rateCopies(look),
    Redis: rateRedis(look),
    Stripe: rateStripe(look, recent('stripeFailed')),
    'Sending mails': mails ? rateSending(mails) : WITHOUT_REDIS,
    'Failed mails': mails ? rateFailedMails(mails) : WITHOUT_REDIS,
    'The worker': rateWorker(look),
    'What is due': rateDueWork(look),
    'Payments that need a person': counts ? rateAttention(counts) : WITHOUT_REGISTER,
    'Overdue balances': counts ? rateOverdue(counts) : WITHOUT_REGISTER,
    Refunds: counts ? rateRefunds(counts) : WITHOUT_REGISTER,
    'The video room': rateRoom(look),
    'The app': rateApp(look),
    Requests: rateRequests(recent('requestsFailed')),
    'Signing in': rateSignIn(recent('signInsRefused')),
    'Registering too often': rateLimits(recent('registrationsRefused')),
  };
  return Object.entries(ratings).flatMap(([part, rating]) => (rating ? [{ part, ...rating }] : []));
}

const rated =
  (verdict: Verdict) =>
  (says: string, ...advice: Rating['advice']): Rating => ({ verdict, says, advice });
const down = rated('down');
const lookAt = rated('look');
const unknown = rated('unknown');
const fine = rated('fine');

const WITHOUT_REDIS = unknown('It cannot be told while Redis does not answer.');
const WITHOUT_REGISTER = unknown('It cannot be told while the register cannot be read.');

function rateRegister({ isRegisterWritable, hold }: Look): Rating {
  if (!isRegisterWritable) return down('It could not be written when it was last tried.', runBook.register);
  if (hold) return down(`It is held since ${formatMoment(hold.since)}. ${hold.why}`, runBook.held);
  return fine('It was written when it was last tried.');
}

function rateCopies({ at, copiedAt }: Look): Rating | undefined {
  if (copiedAt === undefined) return undefined;
  if (copiedAt === 'never') return lookAt('There are none.', runBook.copies);
  const seconds = secondsBetween(copiedAt, at);
  const made = `The newest one was made ${formatDuration(seconds)} ago.`;
  return seconds > COPY_LATE_S ? lookAt(made, runBook.copies) : fine(made);
}

function rateRedis({ inRedis }: Look): Rating {
  if (!inRedis) return down('It does not answer.', runBook.redisAway);
  const share = inRedis.usedShare;
  if (share === undefined) return fine('It answers.');
  const full = `${Math.round(share * 100)}% full`;
  return share >= FULL ? lookAt(`It is ${full}.`, runBook.redisFull) : fine(`It answers, and is ${full}.`);
}

function rateStripe({ stripeAnswered }: Look, failed: number): Rating {
  if (stripeAnswered === undefined) return unknown('This process has not asked it yet.');
  if (!stripeAnswered) return down('It did not answer when it was last asked.', runBook.stripe);
  if (failed > 0) return lookAt(`It failed ${countOf(failed, 'call')} within 15 minutes.`, runBook.stripe);
  return fine('It answered when it was last asked.');
}

function rateSending({ jobs, oldestSeconds, isPaused }: QueueMeasurement): Rating {
  const { waiting = 0, active = 0, delayed = 0 } = jobs;
  const tried = `${countOf(delayed, 'mail')} could not be sent, and will be tried again.`;
  if (isPaused) return down('It is paused: somebody did so on the queue’s page.', runBook.paused);
  if (oldestSeconds > OLDEST_MAIL_S) {
    const oldest = `The oldest mail waits for ${formatDuration(oldestSeconds)}.`;
    return down(delayed > 0 ? `${oldest} ${tried}` : oldest, runBook.waiting);
  }
  if (delayed > 0) return lookAt(tried, runBook.waiting);
  const some = waiting + active;
  return fine(some > 0 ? `It goes on: ${countOf(some, 'mail')} to go.` : 'No mail waits.');
}

function rateFailedMails({ jobs: { failed = 0 } }: QueueMeasurement): Rating {
  if (failed === 0) return fine('There are none.');
  const says = `${countOf(failed, 'mail')}: somebody has to act.`;
  return { ...lookAt(says, runBook.failed), listed: 'letter-failed' };
}

function rateWorker({ inRedis }: Look): Rating {
  if (inRedis?.workers === undefined) return WITHOUT_REDIS;
  if (inRedis.workers === 0) return down('No worker is connected.', runBook.worker);
  return fine(inRedis.workers === 1 ? 'It is connected.' : `${inRedis.workers} are connected.`);
}

function rateDueWork({ at, inRedis }: Look): Rating {
  if (!inRedis) return WITHOUT_REDIS;
  const { dueWorkAt, clockAheadSeconds } = inRedis;
  if (!dueWorkAt) return lookAt('It was not done yet.', runBook.dueWork);
  if (clockAheadSeconds !== undefined) {
    const differs = `${formatDuration(Math.abs(clockAheadSeconds))} ${clockAheadSeconds > 0 ? 'ahead of' : 'behind'}`;
    return down(`No money moves: the worker’s clock is ${differs} Stripe’s.`, runBook.clock);
  }
  const seconds = secondsBetween(dueWorkAt, at);
  const ended = `It was last done ${formatDuration(seconds)} ago.`;
  return seconds > DUE_WORK_LATE_S ? lookAt(ended, runBook.dueWork) : fine(ended);
}

function rateAttention({ attention }: RegisterCounts): Rating {
  return attention > 0 ? lookAt(`There ${areMany(attention)}.`, runBook.attention) : fine('There are none.');
}

function rateOverdue({ overdue }: RegisterCounts): Rating {
  const all = overdue.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return fine('There are none.');
  // Balances with these reasons will be charged without the operator's help, or come by post.
  const isUsual = overdue.every(({ reason }) => reason === 'paying' || reason === 'check');
  const counts = new Map<Advice, number>();
  for (const { reason, count } of overdue) {
    const advice = overdueAdvice[reason];
    counts.set(advice, (counts.get(advice) ?? 0) + count);
  }
  const advice = [...counts].map(([one, count]) => ({ ...one, count }));
  return { ...(isUsual ? fine : lookAt)(`There ${areMany(all)}.`, ...advice), listed: 'late' };
}

function rateRefunds({ registrations }: RegisterCounts): Rating {
  const inState = (wanted: RegistrationState): number =>
    registrations.reduce((sum, { state, count }) => sum + (state === wanted ? count : 0), 0);
  const failed = inState('refund-failed');
  const pending = inState('refund-pending');
  if (failed > 0) return { ...lookAt(`${failed} failed at the bank.`, runBook.refunds), listed: 'needs-you' };
  return fine(pending > 0 ? `None failed, ${pending} on the way.` : 'None failed.');
}

function rateRoom({ isRoomMissing }: Look): Rating {
  if (isRoomMissing === undefined) return WITHOUT_REGISTER;
  if (isRoomMissing)
    return lookAt('Letters are to lead there, and nobody has said where it is.', runBook.room);
  return fine('No letter waits for its address.');
}

function rateApp({ memoryShare, holdUpSeconds, uptimeSeconds }: Look): Rating {
  const memory = `${Math.round(memoryShare * 100)}% of its memory`;
  const troubles = [
    ...(memoryShare >= MEMORY_SHORT ? [`It uses ${memory}.`] : []),
    ...(holdUpSeconds >= HOLD_UP_S ? [`It was held up for ${holdUpSeconds.toFixed(1)} s.`] : []),
  ];
  if (troubles.length > 0) return lookAt(troubles.join(' '), runBook.app);
  return fine(`It has run for ${formatDuration(uptimeSeconds)}, and uses ${memory}.`);
}

function rateRequests(failed: number): Rating {
  if (failed === 0) return fine('None has failed within 15 minutes.');
  return lookAt(`${failed} failed within 15 minutes.`, runBook.requests);
}

function rateSignIn(refused: number): Rating {
  if (refused === 0) return fine('Nobody is kept waiting.');
  const says = `${countOf(refused, 'try', 'tries')} refused within 15 minutes, after too many wrong passwords.`;
  return lookAt(says, runBook.signIn);
}

function rateLimits(refused: number): Rating {
  const says = `${countOf(refused, 'registration')} refused within 15 minutes.`;
  if (refused >= MANY_REFUSED) return lookAt(says, runBook.limits);
  return fine(refused === 0 ? 'Nobody does.' : says);
}

const secondsBetween = (start: Date, end: Date): number =>
  Math.max(0, (end.getTime() - start.getTime()) / 1000);

const areMany = (count: number): string => (count === 1 ? 'is 1' : `are ${count}`);

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
