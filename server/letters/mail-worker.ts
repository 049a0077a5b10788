import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job, type RateLimiterOptions, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '#server/config/logger.ts';
import { logQueueErrors } from '#server/ops/connect-redis.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { withTimeout } from '#server/ops/work.ts';
import type { Mail } from './letter-kind.ts';
import { MAIL_QUEUE_NAME, mailBackoffMs } from './queue.ts';
import { type MailSender, sendMail } from './send-mail.ts';
import { LETTER_NAMES } from './table.ts';

/** How often a mail may lose its worker before BullMQ fails it: a crash is not the fault of the mail. */
const MAX_STALLED_COUNT = 20;

/** Renewed by a living worker: after a crash another one takes the mail within one or two of these. */
const LOCK_MS = 10_000;

/** How long mails in flight may take to finish when the worker stops; compose's grace period is longer. */
const CLOSE_TIMEOUT_MS = 8_000;

/** How long a mail that is held back waits before it is looked at again. */
const HELD_BACK_MS = 60_000;

/** `held`: none may go out now. */
type Outcome = 'sent' | 'not due' | 'held';

export interface Outbox {
  /** What is sent already, or not due any more, is then on record. */
  findDue(id: string): Promise<Mail | Outcome>;
  now(): Date;
  markSent(letter: Mail, sentAt: Date, id: string, said: string | null): Promise<void>;
}

interface WorkerDependencies {
  /** Made by `connectWorker`; stays its owner's. */
  redis: Redis;
  sender: MailSender;
  outbox: Outbox;
  metrics: Pick<Metrics, 'count'>;
  logger: Logger;
  concurrency: number;
  /** The most that the mail provider takes in a second, from all workers together. */
  perSecond: number;
}

export function startMailWorker(dependencies: WorkerDependencies) {
  const { redis, sender, outbox, metrics, logger, concurrency, perSecond } = dependencies;
  /** By id, the letters being sent, or sent and not on record yet. */
  const inFlight = new Map<string, Promise<Outcome>>();
  /** What is being recorded: until then the letter would be sent again. */
  const recording = new Set<Promise<void>>();
  /** By id, the jobs that BullMQ has taken and not yet finished or put back. */
  const taken = new Set<string | undefined>();
  const ends = new EventEmitter();
  const leave = (jobId: string | undefined): void => {
    taken.delete(jobId);
    ends.emit('end');
  };
  const closing = new AbortController();
  const sendIfDue = async (id: string, signal?: AbortSignal): Promise<Outcome> => {
    const letter = await outbox.findDue(id);
    if (typeof letter === 'string') return letter;
    const said = await sendMail({ id, mail: letter }, sender, signal);
    const sentAt = outbox.now();
    const record = () => outbox.markSent(letter, sentAt, id, said);
    const recorded = recordSent(record, { id, logger, signal: closing.signal });
    recording.add(recorded);
    await recorded.finally(() => recording.delete(recorded));
    return 'sent';
  };
  /** A Redis that failed over may hand out a letter that is being sent here: both jobs have one outcome. */
  const sendOnce = (id: string, signal?: AbortSignal): Promise<Outcome> => {
    let sending = inFlight.get(id);
    if (!sending) {
      sending = sendIfDue(id, signal).finally(() => inFlight.delete(id));
      inFlight.set(id, sending);
    }
    return sending;
  };
  const worker = new Worker<null, boolean>(
    MAIL_QUEUE_NAME,
    async (job, token, signal) => {
      taken.add(job.id);
      const outcome = await sendOnce(job.id ?? '', signal);
      if (outcome === 'held') {
        await job.moveToDelayed(Date.now() + HELD_BACK_MS, token);
        leave(job.id);
        throw new DelayedError();
      }
      // Should it be due once more, it is queued under the same name.
      if (outcome === 'not due') job.opts.removeOnComplete = true;
      return outcome === 'sent';
    },
    {
      connection: redis,
      concurrency,
      limiter: evenly(perSecond),
      maxStalledCount: MAX_STALLED_COUNT,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS,
      settings: { backoffStrategy: mailBackoffMs },
    },
  );
  for (const kind of LETTER_NAMES) {
    metrics.count('mail_sent_total', { kind }, 0);
    metrics.count('mail_dropped_total', { kind }, 0);
    for (const final of ['true', 'false']) metrics.count('mail_attempts_failed_total', { kind, final }, 0);
  }
  const errors = logQueueErrors(redis, logger, 'Mail worker error');
  worker.on('error', errors.failed);
  worker.on('lockRenewalFailed', (jobIds) => {
    logger.warn({ jobs: jobIds }, 'Mails lost their lock: another worker will send them');
    for (const jobId of jobIds) {
      worker.cancelJob(jobId);
      leave(jobId);
    }
  });
  worker.on('completed', (job, isSent) => {
    leave(job.id);
    errors.worked();
    metrics.count(isSent ? 'mail_sent_total' : 'mail_dropped_total', { kind: job.name });
    logger.info({ job: job.id }, isSent ? 'Mail sent' : 'Mail not sent: it is no longer due');
  });
  worker.on('failed', (job, error) => {
    leave(job?.id);
    const final = job?.finishedOn !== undefined;
    const kind = job?.name ?? 'unknown';
    metrics.count('mail_attempts_failed_total', { kind, final: String(final) });
    logFailure(job, final, error, logger);
  });
  const finishTaken = async (): Promise<void> => {
    while (taken.size > 0) await once(ends, 'end');
  };
  // Not by BullMQ: it waits for a Redis that goes meanwhile, and its own connection goes on trying.
  const finishMails = async (): Promise<void> => {
    const redisIsAway = new Promise((resolve) => redis.once('close', resolve));
    await worker.pause(true);
    if (redis.status === 'ready') await Promise.race([finishTaken(), redisIsAway]);
    await Promise.all(recording);
  };
  const close = async (): Promise<void> => {
    try {
      await withTimeout(finishMails(), CLOSE_TIMEOUT_MS);
    } catch (error) {
      logger.warn({ err: error }, 'Mails that were being sent are left to the next worker');
    }
    closing.abort();
    await worker.close(true);
    sender.transport.close();
  };
  let closed: Promise<void> | undefined;
  return {
    isRunning: (): boolean => worker.isRunning() && redis.status === 'ready',
    /** What is not finished within eight seconds, or while Redis is away, is taken up by another worker. */
    close(): Promise<void> {
      closed ??= close();
      return closed;
    },
  };
}

/** In portions of a tenth of a second: a second's mails at once would take the processor from visitors. */
function evenly(perSecond: number): RateLimiterOptions {
  const max = Math.ceil(perSecond / 10);
  return { max, duration: Math.ceil((max / perSecond) * 1_000) };
}

const RECORD_AGAIN_MS = 1_000;

/** What is not on record would be sent once more. @throws {Error} when the worker stops before */
async function recordSent(
  record: () => Promise<void>,
  { id, logger, signal }: { id: string; logger: Logger; signal: AbortSignal },
): Promise<void> {
  for (;;) {
    try {
      return await record();
    } catch (error) {
      logger.warn({ err: error, job: id }, 'A mail was sent, but that is not on record yet');
    }
    await delay(RECORD_AGAIN_MS, undefined, { signal });
  }
}

function logFailure(job: Job | undefined, final: boolean, error: Error, logger: Logger): void {
  const details = { ...refusalFacts(error), job: job?.id, attempts: job?.attemptsMade };
  if (final) logger.error(details, 'Mail failed permanently');
  else logger.warn(details, 'Mail failed and will be tried again');
}

/** For the log; the server's own words stay with the job: they hold addresses. */
function refusalFacts(error: Error): object {
  const { cause = error } = error;
  const fact = (name: string): unknown =>
    typeof cause === 'object' && cause !== null ? Reflect.get(cause, name) : undefined;
  return {
    error: error.name,
    code: fact('code'),
    responseCode: fact('responseCode'),
    command: fact('command'),
  };
}
