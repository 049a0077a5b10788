import { Queue, Worker } from 'bullmq';
import { linksEndAt } from '#server/links/own-page-links.ts';
import type { MailOf } from '#server/mail/job.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { logQueueErrors } from '#server/mail/queue-errors.ts';
import { MAIL_QUEUE_NAME, SENT_KEPT_S } from '#server/mail/queued-job.ts';
import type { Announced } from '#server/payments/find-all-due.ts';
import { onRedisBack } from '#server/redis/open-cluster.ts';
import { queueOn, workerOn } from '#server/redis/queue-on.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Clock } from '#server/service/clock.ts';
import type { Logger } from '#server/service/logger.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale/facts.ts';
import type { Facts } from '#shared/content/edition.ts';
import { momentsOf } from '#shared/content/moments.ts';
import { isRegistrationOver, type RegistrationMode } from '#shared/content/registration-window.ts';
import { type ChargeWatcher, chargeAll } from './charge-due.ts';
import {
  noteWalkEnd,
  readLastWholeWalk,
  summaryOf,
  type WholeWalk,
  writeLastWholeWalk,
} from './last-whole-walk.ts';
import { type DigestSources, findDigest, queueDigests } from './office-digest.ts';
import { type RefundWatcher, refundAll } from './refund-due.ts';
import type { RegistrationList } from './registration-list.ts';
import type { Admission } from './waiting-list.ts';
import { waitingNeeds } from './waiting-needs.ts';
import { walkWaiting } from './waiting-walk.ts';
import { forgetSent, type Register, WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME, walk } from './walk.ts';

/** The job scheduler, and older ones that may still be in this queue and would start additional walks. */
const SCHEDULER = 'walk';
const OTHER_SCHEDULERS = ['recent', 'season'];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Every quarter of an hour a walk scans the registrations of the last two days. A walk through all
 * registrations runs every six hours, once a moment of an edition is past, when Redis connects or reconnects,
 * when the clock was moved, and on request. Stripe grants 10,000 reads a month: a quarter-hourly request
 * makes 2,900 of them.
 */
const EVERY_MS = 15 * MINUTE_MS;
const RECENT_MS = 2 * DAY_MS;
const WHOLE_EVERY_MS = 6 * HOUR_MS;
const SEASON_MS = 400 * DAY_MS;

/** If its clock differs more from Stripe's, the machine does not know what is due. */
const MOST_CLOCK_OFF_S = 10 * 60;

/**
 * Lock duration: after it another worker takes over the walk of a crashed worker, up to `MAX_STALLED_COUNT`
 * times.
 */
const LOCK_MS = 10_000;
const MAX_STALLED_COUNT = 20;

/** What a walk needs. */
interface WalkDependencies {
  /** Made by `connectWorker`; closed by the caller. */
  redis: RedisClient;
  register: Register;
  letterLog: Pick<LetterLog, 'owe' | 'find' | 'forgetAddresses'>;
  admission: Admission;
  registrationList: Pick<RegistrationList, 'list'>;
  registration: RegistrationMode;
  /** Is notified of the results of charging balances. */
  charges: ChargeWatcher;
  /** Is notified of the results of refunding. */
  refunds: RefundWatcher;
  logger: Logger;
  clock: Pick<Clock, 'now'>;
}

interface WalkerDependencies extends WalkDependencies {
  clock: Pick<Clock, 'now' | 'onMoved'>;
  /** Called when a walk has completed. */
  onWalked(): void;
  /** Delay before scheduling is retried, when Redis was connected but refused it. */
  retryMs?: number;
  /**
   * How often the walker checks that walks are still scheduled: Redis may lose data without disconnecting.
   */
  lookMs?: number;
}

type Digest = MailOf<'office-digest'>;

export interface Walker {
  /**
   * The summary of the last walk through all registrations; undefined before the first one, and without
   * Redis.
   */
  lastWhole(): Promise<WholeWalk | undefined>;
  /** A queued digest with its current content; undefined when it is not to be sent any more. */
  findDigest(digest: Digest): Promise<Digest | undefined>;
  close(): Promise<void>;
}

/** Runs walks on a schedule, one worker at a time, and when Redis connects or reconnects. */
export function startWalker(dependencies: WalkerDependencies): Walker {
  const { redis, logger, clock, onWalked, retryMs = MINUTE_MS, lookMs = EVERY_MS } = dependencies;
  const mails: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  const walks = new Queue<null>(WALK_QUEUE_NAME, {
    ...queueOn(redis),
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  const worker = new Worker<null, void>(
    WALK_QUEUE_NAME,
    async ({ name }, _token, signal) => {
      logger.debug('Walk begins');
      await runDueWalk(name === WALK_NOW, mails, dependencies, signal);
      logger.debug('Walk ended');
    },
    {
      ...workerOn(redis),
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS,
      maxStalledCount: MAX_STALLED_COUNT,
    },
  );
  const errors = logQueueErrors(redis, logger, 'Walker error');
  mails.on('error', errors.failed);
  walks.on('error', errors.failed);
  worker.on('error', errors.failed);
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const jobId of jobIds) worker.cancelJob(jobId);
  });
  worker.on('completed', () => {
    errors.worked();
    onWalked();
  });
  worker.on('failed', (_job, error) =>
    logger.warn({ err: error }, 'Registrations could not be looked through'),
  );

  const askNow = () => walks.add(WALK_NOW, null, WALK_NOW_OPTIONS);
  const schedule = async (): Promise<void> => {
    await walks.setGlobalConcurrency(1);
    for (const other of OTHER_SCHEDULERS) await walks.removeJobScheduler(other);
    await walks.upsertJobScheduler(SCHEDULER, { every: EVERY_MS }, { name: SCHEDULER });
    await askNow();
  };
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  const onReady = (): void => {
    clearTimeout(retry);
    schedule().catch((error: unknown) => {
      if (isClosed) return;
      logger.error({ err: error }, 'Walks could not be scheduled');
      retry = setTimeout(onReady, retryMs);
    });
  };
  const stopWaiting = onRedisBack(redis, onReady);
  const scheduleIfLost = async (): Promise<void> => {
    if (redis.status === 'ready' && !(await walks.getJobScheduler(SCHEDULER))) onReady();
  };
  const look = setInterval(() => scheduleIfLost().catch(errors.failed), lookMs);
  clock.onMoved(() => {
    // Without Redis this fails; a walk is requested when Redis is back.
    askNow().catch((error: unknown) => logger.error({ err: error }, 'A walk could not be asked for'));
  });

  return {
    lastWhole: async () => (redis.status === 'ready' ? readLastWholeWalk(redis) : undefined),
    findDigest: (digest) => findDigest(digest, clock.now(), sourcesOfDigest(mails, dependencies)),
    async close() {
      isClosed = true;
      stopWaiting();
      clearTimeout(retry);
      clearInterval(look);
      // A walk may be interrupted anywhere: the next one starts from the beginning.
      await worker.close(true);
      await Promise.all([walks.close(), mails.close()]);
    },
  };
}

/**
 * Scans all registrations if requested or due, else the recent ones; charges the
 * balances that are due, and makes the refunds that are due.
 * @param asked whether the walk was requested
 * @param signal aborts once the lock could not be renewed in time: another worker then takes over the walk
 */
export async function runDueWalk(
  asked: boolean,
  queue: LetterQueue,
  dependencies: WalkDependencies,
  signal?: AbortSignal,
): Promise<void> {
  const { redis, register, letterLog, admission, registration, logger, clock } = dependencies;
  const start = clock.now();
  const last = await readLastWholeWalk(redis);
  const isWhole = asked || isWholeDue(last, start, registration);
  const since = new Date(start.getTime() - (isWhole ? SEASON_MS : RECENT_MS));
  const isOver = (facts: Facts) => isOverAt(facts, start, registration);
  // Before the walk, which may fail: deleting old mails, as the privacy text promises, must not depend on
  // Stripe.
  await forgetSent(queue);
  if (isWhole)
    await letterLog
      .forgetAddresses(new Date(start.getTime() - SENT_KEPT_S * 1000))
      .catch((error: unknown) => {
        logger.warn({ err: error }, 'Addresses of letters could not be removed from the register now');
      });
  const announced = await readAnnounced(register, start);
  const walked = await walk(
    { since, now: start, isOver, announced, signal },
    { register, letterLog, queue, logger },
  );
  if (isWhole) {
    const { waitingList } = admission;
    await walkWaiting({ now: start, isOver }, walked.registrations, {
      waitingList,
      letterLog,
      queue,
      logger,
    });
  }
  signal?.throwIfAborted();
  const clockAheadS = register.clockAheadS();
  const isClockOff = Math.abs(clockAheadS) > MOST_CLOCK_OFF_S;
  if (isClockOff)
    logger.error({ clockAheadS }, 'The clock of this machine is wrong: no money moves until it is right');
  const telling = { register, letterLog, queue, logger, now: clock.now };
  const [toCharge, toRefund] = isClockOff ? [[], []] : [walked.toCharge, walked.toRefund];
  const charged = await chargeAll(toCharge, { ...telling, watcher: dependencies.charges });
  signal?.throwIfAborted();
  const refunded = await refundAll(toRefund, { ...telling, watcher: dependencies.refunds });
  if (isWhole) await writeLastWholeWalk(redis, summaryOf(walked, [charged, refunded], start));
  await queueDigests(start, sourcesOfDigest(queue, dependencies));
  await noteWalkEnd(redis);
}

/** What the office has announced about each edition whose registrants still have a page. */
async function readAnnounced(register: Pick<Register, 'readAnnouncements'>, now: Date): Promise<Announced> {
  const open = editions.filter(({ facts }) => now < linksEndAt(facts));
  const announced = open.map(
    async (edition) => [edition.facts.id, await register.readAnnouncements(edition)] as const,
  );
  return new Map(await Promise.all(announced));
}

function sourcesOfDigest(
  queue: LetterQueue,
  {
    redis,
    register,
    letterLog,
    admission,
    registrationList,
  }: Pick<WalkDependencies, 'redis' | 'register' | 'letterLog' | 'admission' | 'registrationList'>,
): DigestSources {
  return {
    waitingNeeds: (edition, at) => waitingNeeds(edition, at, { queue, letterLog }, admission),
    queue,
    letterLog,
    register,
    registrationList,
    attention: async () => (await readLastWholeWalk(redis))?.attention ?? 0,
  };
}

/**
 * Whether a walk through all registrations is due: every six hours, and once a moment of an edition or of a
 * registration has passed, or registration for an edition has ended or reopened, since the last one.
 */
function isWholeDue(walk: WholeWalk | undefined, now: Date, registration: RegistrationMode): boolean {
  if (!walk || (walk.nextAt !== undefined && now.getTime() >= walk.nextAt)) return true;
  const last = new Date(walk.startedAt);
  // The clock was moved back, or the clocks of two machines differ.
  if (last > now) return true;
  const isPast = ({ at }: { at: string }) => last < new Date(at) && new Date(at) <= now;
  return (
    now.getTime() - last.getTime() >= WHOLE_EVERY_MS ||
    editions.some(
      (edition) =>
        momentsOf(edition).some(isPast) ||
        isOverAt(edition.facts, last, registration) !== isOverAt(edition.facts, now, registration),
    )
  );
}

/** The configured registration mode applies to the edition on sale; other editions use their own dates. */
function isOverAt(facts: Facts, moment: Date, registration: RegistrationMode): boolean {
  return isRegistrationOver(facts, facts.id === onSale.id ? registration : 'auto', moment);
}
