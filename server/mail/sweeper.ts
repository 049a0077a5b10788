import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '#server/logger.ts';
import { MAIL_QUEUE_NAME, type MailJob } from './job.ts';
import { logQueueErrors } from './queue-errors.ts';
import { type Outbox, sweepOwedMails } from './sweep.ts';

const SWEEP_QUEUE_NAME = 'mail-sweep';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Every minute the registrations of the last two days are looked through; every hour, and whenever Redis is there
 * anew, those of the season.
 */
const RECENT = { name: 'recent', everyMs: MINUTE_MS, sinceMs: 2 * DAY_MS };
const SEASON = { name: 'season', everyMs: 60 * MINUTE_MS, sinceMs: 180 * DAY_MS };
const SWEEPS = [RECENT, SEASON];

interface SweeperDependencies {
  /** Made by `connectWorker`; stays its owner's. */
  redis: Redis;
  outbox: Outbox;
  logger: Logger;
  /** Called when a sweep has come to its end. */
  onSwept(): void;
  /** Until the sweeps are scheduled anew, when Redis was there and took nothing. */
  retryMs?: number;
}

export interface Sweeper {
  close(): Promise<void>;
}

/** Sweeps for owed mails by the clock, one worker at a time, and when Redis comes or comes back. */
export function startSweeper(dependencies: SweeperDependencies): Sweeper {
  const { redis, outbox, logger, onSwept, retryMs = MINUTE_MS } = dependencies;
  const mails = new Queue<MailJob>(MAIL_QUEUE_NAME, { connection: redis });
  const sweeps = new Queue<null>(SWEEP_QUEUE_NAME, {
    connection: redis,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  const worker = new Worker<null>(
    SWEEP_QUEUE_NAME,
    ({ name }) => sweepOwedMails(sinceOf(name), { outbox, queue: mails, logger }),
    { connection: redis },
  );
  const errors = logQueueErrors(redis, logger, 'Sweeper error');
  mails.on('error', errors.failed);
  sweeps.on('error', errors.failed);
  worker.on('error', errors.failed);
  worker.on('completed', () => {
    errors.worked();
    onSwept();
  });
  worker.on('failed', (_job, error) => logger.warn({ err: error }, 'Owed mails could not be looked for'));

  const schedule = async (): Promise<void> => {
    for (const { name, everyMs } of SWEEPS) {
      await sweeps.upsertJobScheduler(name, { every: everyMs }, { name });
    }
    await sweeps.add(SEASON.name, null);
  };
  let retry: NodeJS.Timeout | undefined;
  const onReady = (): void => {
    clearTimeout(retry);
    schedule().catch((error: unknown) => {
      logger.error({ err: error }, 'Sweeps could not be scheduled');
      retry = setTimeout(onReady, retryMs);
    });
  };
  redis.on('ready', onReady);
  if (redis.status === 'ready') onReady();

  return {
    async close() {
      redis.off('ready', onReady);
      clearTimeout(retry);
      // A sweep may be cut off anywhere: the next one looks anew.
      await worker.close(true);
      await Promise.all([sweeps.close(), mails.close()]);
    },
  };
}

function sinceOf(name: string): Date {
  const { sinceMs } = name === SEASON.name ? SEASON : RECENT;
  return new Date(Date.now() - sinceMs);
}
