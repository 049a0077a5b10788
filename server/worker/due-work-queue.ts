import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '#server/config/logger.ts';
import { lookAtAll } from '#server/database/database.ts';
import { type LetterQueue, MAIL_QUEUE_NAME } from '#server/letters/queue.ts';
import type { Clock } from '#server/ops/clock.ts';
import { logQueueErrors, queueOn } from '#server/ops/connect-redis.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { withTimeout } from '#server/ops/work.ts';
import type { Edition } from '#shared/content/edition.ts';
import { type DueWorkDependencies, runDueWork } from './due-work.ts';
import { findDigest } from './office-digest.ts';

/** One job at a time, whatever the number of workers. */
const DUE_WORK_QUEUE_NAME = 'due-work';

const MINUTE_MS = 60_000;

/** Lock duration: after it another worker takes over what a crashed worker was doing, up to `MAX_STALLED_COUNT` times. */
const LOCK_MS = 10_000;
const MAX_STALLED_COUNT = 20;

const ASK_TIMEOUT_MS = 150;

interface WorkerDependencies extends DueWorkDependencies {
  clock: Pick<Clock, 'now' | 'onMoved'>;
  metrics: Metrics;
  everyMs?: number;
}

export function startDueWork(dependencies: WorkerDependencies) {
  const { redis, database, logger, clock, metrics, everyMs = MINUTE_MS } = dependencies;
  const mails: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  const queue = dueWorkQueue(redis);
  const done = metrics.gauge(
    'due_work_last_success_timestamp_seconds',
    'When this worker last did all that was due, in seconds since the epoch',
  );
  let isFirst = true;
  const worker = new Worker<null, void>(
    DUE_WORK_QUEUE_NAME,
    async (_job, _token, signal) => {
      logger.debug('Due work begins');
      // Another release may have looked at them before, by other rules.
      if (isFirst) await database.write(lookAtAll);
      isFirst = false;
      await runDueWork(mails, dependencies, signal);
      logger.debug('Due work ended');
    },
    {
      connection: redis,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS,
      maxStalledCount: MAX_STALLED_COUNT,
    },
  );
  const errors = logQueueErrors(redis, logger, 'Due work error');
  mails.on('error', errors.failed);
  queue.on('error', errors.failed);
  worker.on('error', errors.failed);
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const jobId of jobIds) worker.cancelJob(jobId);
  });
  worker.on('completed', () => {
    errors.worked();
    done.setToCurrentTime();
  });
  worker.on('failed', (_job, error) => logger.warn({ err: error }, 'Not all that is due could be done'));

  let isClosed = false;
  const ask = async (): Promise<void> => {
    if (redis.status !== 'ready') return;
    try {
      await queue.setGlobalConcurrency(1);
      await askForDueWork(queue);
    } catch (error) {
      if (!isClosed) logger.error({ err: error }, 'Due work could not be asked for');
    }
  };
  redis.on('ready', ask);
  void ask();
  const timer = setInterval(ask, everyMs);
  clock.onMoved(() => void ask());

  return {
    findDigest: (edition: Edition, day: string) =>
      findDigest(edition, day, clock.now(), { ...dependencies, queue: mails }),
    async close(): Promise<void> {
      isClosed = true;
      redis.off('ready', ask);
      clearInterval(timer);
      // It may be interrupted anywhere: what was not done is still due.
      await worker.close(true);
      await Promise.all([queue.close(), mails.close()]);
    },
  };
}

export function dueWorkQueue(redis: Redis): Queue<null> {
  return new Queue<null>(DUE_WORK_QUEUE_NAME, {
    ...queueOn(redis),
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
}

/** However often it is asked for, it is queued once; while it is being done, it is done once more after that. */
export async function askForDueWork(queue: Queue<null>): Promise<void> {
  await queue.add('now', null, { deduplication: { id: 'now', keepLastIfActive: true } });
}

/** While Redis is away, the worker does it later. @param redis made by `connectProducer`; the caller closes it */
export function dueWorkBy(redis: Redis, logger: Logger) {
  const queue = dueWorkQueue(redis);
  queue.on('error', (error) => logger.debug({ err: error }, 'Queue of due work error'));
  return async (): Promise<void> => {
    try {
      if (redis.status !== 'ready') throw new Error('Redis is away');
      await withTimeout(askForDueWork(queue), ASK_TIMEOUT_MS);
    } catch (error) {
      logger.warn({ err: error }, 'Due work could not be asked for now');
    }
  };
}
