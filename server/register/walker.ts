import { Queue, Worker } from 'bullmq';
import { capacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import { MAIL_QUEUE_NAME, type MailJob, type MailOf } from '#server/mail/job.ts';
import { logQueueErrors } from '#server/mail/queue-errors.ts';
import { onRedisBack } from '#server/redis/open-cluster.ts';
import { queueOn } from '#server/redis/queue-on.ts';
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
import { readAnnounced } from './read-announced.ts';
import type { ReadModel } from './read-model.ts';
import { type RefundWatcher, refundAll } from './refund-due.ts';
import { createWaitingModel } from './waiting-model.ts';
import { waitingNeeds } from './waiting-needs.ts';
import { walkWaiting } from './waiting-walk.ts';
import { forgetSent, type Register, WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME, walk } from './walk.ts';

/** The job scheduler, and older ones that may still be in this queue and would run a second walk. */
const SCHEDULER = 'walk';
const OTHER_SCHEDULERS = ['recent', 'season'];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Every quarter of an hour the registrations of the last two days are looked through; all that there can be every six
 * hours, once a moment of an edition is past, when Redis comes or comes back, when the clock was moved, and when
 * somebody asks. Stripe grants 10,000 reads a month: a quarter-hourly request makes 2,900 of them.
 */
const EVERY_MS = 15 * MINUTE_MS;
const RECENT_MS = 2 * DAY_MS;
const WHOLE_EVERY_MS = 6 * HOUR_MS;
const SEASON_MS = 400 * DAY_MS;

/** Lock duration: a walk whose worker has crashed is taken over after it, many times if need be. */
const LOCK_MS = 10_000;
const MAX_STALLED_COUNT = 20;

/** What a walk needs. */
interface WalkDependencies {
  /** Made by `connectWorker`; stays its owner's. */
  redis: RedisClient;
  register: Register;
  readModel: ReadModel;
  registration: RegistrationMode;
  /** Is told what came of charging balances. */
  charges: ChargeWatcher;
  /** Is told what came of giving back. */
  refunds: RefundWatcher;
  logger: Logger;
  clock: Pick<Clock, 'now'>;
}

interface WalkerDependencies extends WalkDependencies {
  clock: Pick<Clock, 'now' | 'onMoved'>;
  /** Called when a walk has come to its end. */
  onWalked(): void;
  /** Delay before scheduling is retried, when Redis was there and refused it. */
  retryMs?: number;
  /** How often it is looked whether walks are still scheduled: Redis may forget it without going away. */
  lookMs?: number;
}

type Digest = MailOf<'office-digest'>;

export interface Walker {
  /** What the last walk through all registrations found; undefined before it, and while Redis is away. */
  lastWhole(): Promise<WholeWalk | undefined>;
  /** A queued digest with what it tells now; undefined when it is not to be sent any more. */
  findDigest(digest: Digest): Promise<Digest | undefined>;
  close(): Promise<void>;
}

/** Looks registrations through by the clock, one worker at a time, and when Redis comes or comes back. */
export function startWalker(dependencies: WalkerDependencies): Walker {
  const { redis, logger, clock, onWalked, retryMs = MINUTE_MS, lookMs = EVERY_MS } = dependencies;
  const mails = new Queue<MailJob>(MAIL_QUEUE_NAME, queueOn(redis));
  const walks = new Queue<null>(WALK_QUEUE_NAME, {
    ...queueOn(redis),
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  const worker = new Worker<null, void>(
    WALK_QUEUE_NAME,
    ({ name }, _token, signal) => runDueWalk(name === WALK_NOW, mails, dependencies, signal),
    {
      ...queueOn(redis),
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
    // Without Redis nothing is asked for: it walks when that is back.
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
      // A walk may be cut off anywhere: the next one starts from the beginning.
      await worker.close(true);
      await Promise.all([walks.close(), mails.close()]);
    },
  };
}

/**
 * Looks through all registrations when that is asked for or due, else through the recent ones, shows what it found,
 * charges the balances that are due, and gives back what is.
 * @param signal aborts once another worker walks in its place, since Redis did not hear of this one in time
 */
export async function runDueWalk(
  asked: boolean,
  queue: Queue<MailJob>,
  { redis, register, readModel, registration, charges, refunds, logger, clock }: WalkDependencies,
  signal?: AbortSignal,
): Promise<void> {
  const start = clock.now();
  const last = await readLastWholeWalk(redis);
  const isWhole = asked || isWholeDue(last, start, registration);
  const since = new Date(start.getTime() - (isWhole ? SEASON_MS : RECENT_MS));
  const isOver = (facts: Facts) => isOverAt(facts, start, registration);
  // Even if the walk fails: deleting old mails, as the privacy text promises, must not wait for Stripe.
  await forgetSent(queue);
  const announced = isWhole ? await readAnnounced(register, start, logger) : undefined;
  const turn = await readModel.takeTurn();
  const walked = await walk({ since, now: start, isOver, announced, signal }, { register, queue, logger });
  let offerEndsAt: Date | undefined;
  if (isWhole) {
    // Places that are offered are held before it is known that all are counted.
    const waiting = {
      model: createWaitingModel(redis, clock.now),
      capacity: capacityInRedis(redis, clock.now),
    };
    offerEndsAt = await walkWaiting({ since, now: start, isOver }, walked.registrations, {
      ...waiting,
      register,
      queue,
      logger,
    });
  }
  if (isWhole) await readModel.rebuild(turn, walked.registrations);
  else await readModel.patch(turn, walked.registrations);
  signal?.throwIfAborted();
  const telling = { register, queue, readModel, logger, now: clock.now };
  const charged = await chargeAll(walked.toCharge, { ...telling, watcher: charges });
  signal?.throwIfAborted();
  const refunded = await refundAll(walked.toRefund, { ...telling, watcher: refunds });
  if (isWhole) await writeLastWholeWalk(redis, summaryOf(walked, [charged, refunded], start, offerEndsAt));
  await queueDigests(start, sourcesOfDigest(queue, { redis, register, readModel, clock }));
  await noteWalkEnd(redis);
}

function sourcesOfDigest(
  queue: Queue<MailJob>,
  { redis, register, readModel, clock }: Pick<WalkDependencies, 'redis' | 'register' | 'readModel' | 'clock'>,
): DigestSources {
  const { look } = capacityInRedis(redis, clock.now);
  const waiting = createWaitingModel(redis, clock.now);
  return {
    waitingNeeds: (edition, at) => waitingNeeds(edition, at, { queue, waiting, look }),
    queue,
    register,
    readModel,
    attention: async () => (await readLastWholeWalk(redis))?.attention ?? 0,
  };
}

/**
 * Every six hours, and once something has changed since: a moment of an edition or of a registration is past, or
 * registration for an edition is over.
 */
function isWholeDue(walk: WholeWalk | undefined, now: Date, registration: RegistrationMode): boolean {
  if (!walk || (walk.nextAt !== undefined && now.getTime() >= walk.nextAt)) return true;
  const last = new Date(walk.startedAt);
  // The clock was moved back, or two machines' differ.
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

/** What is configured speaks of the edition on sale; the others go by their own dates. */
function isOverAt(facts: Facts, moment: Date, registration: RegistrationMode): boolean {
  return isRegistrationOver(facts, facts.id === onSale.id ? registration : 'auto', moment);
}
