import { Queue } from 'bullmq';
import { AppError } from '#server/http/app-error.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { messages } from '#shared/registration.ts';
import type { MailJob, RegistrationMail } from './job.ts';
import { MAIL_JOB_OPTIONS, MAIL_QUEUE_NAME, mailJobId, queuedAs } from './queued-job.ts';

/**
 * How long a request may wait for Redis to queue its mails while Redis is down or hanging; with the limits'
 * 100 ms, 250 in all (R5.1).
 */
const ADD_TIMEOUT_MS = 150;

const ANSWER_TIMEOUT_MS = 1_000;

/**
 * Among how many jobs the oldest is searched: in a longer queue, the oldest of these is old enough to be
 * noticed.
 */
const OLDEST_AMONG = 200;

/** The mail could not be put on the queue in time. */
export class MailQueueUnavailable extends AppError {
  constructor(reason: string, options?: ErrorOptions) {
    const cause = new Error(`The mail could not be queued: ${reason}`, options);
    super({ code: 'mail_queue_unavailable', status: 503, message: messages.unexpected, cause });
  }
}

/** The queue to which features add the mails that are owed. */
export interface MailQueue {
  /**
   * Queues mails, each once for its kind, payment and address; by default answers within 150 ms.
   * @throws {MailQueueUnavailable} while Redis is down or hanging: any of the mails may have been queued
   *   nevertheless
   */
  add(...jobs: MailJob[]): Promise<void>;
  /**
   * Sends a mail although it was sent before. If it is still waiting, it goes out by itself; if it failed, it
   * is retried.
   * @param name distinguishes this repetition from others of the same mail: under the same name it is queued
   *   once
   * @throws {MailQueueUnavailable} as above
   */
  addAgain(job: RegistrationMail, name: string): Promise<void>;
  /**
   * Whether a mail that is not recorded as sent waits, or failed for good; `waiting` also while Redis is
   * unavailable.
   */
  stateOf(job: MailJob): Promise<'waiting' | 'failed'>;
  isReady(): boolean;
  /** Whether Redis answers within a second: a Redis that hangs is connected, but does not answer. */
  isAnswering(): Promise<boolean>;
  /**
   * When the oldest mail that is not sent yet was queued, in milliseconds since the epoch; failed ones do not
   * count.
   */
  oldestWaiting(): Promise<number | undefined>;
  close(): Promise<void>;
  /** For the ops page. */
  readonly bullQueue: Queue<MailJob>;
}

/** The mail queue on a connection made by `connectProducer`, which it then owns. */
export function createMailQueue(
  redis: RedisClient,
  logger: Logger,
  addTimeoutMs = ADD_TIMEOUT_MS,
): MailQueue {
  const queue = new Queue<MailJob>(MAIL_QUEUE_NAME, {
    ...queueOn(redis),
    defaultJobOptions: MAIL_JOB_OPTIONS,
  });
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const isReady = (): boolean => redis.status === 'ready';
  const inTime = async (work: () => Promise<unknown>): Promise<void> => {
    if (!isReady()) throw new MailQueueUnavailable('Redis is away');
    await withTimeout(work(), addTimeoutMs).catch((error: unknown) => {
      throw new MailQueueUnavailable('Redis does not take it', { cause: error });
    });
  };
  return {
    bullQueue: queue,
    isReady,
    async isAnswering() {
      if (!isReady()) return false;
      // In a cluster, this asks the server that holds the mails.
      return withTimeout(redis.exists(queue.toKey('meta')), ANSWER_TIMEOUT_MS).then(
        () => true,
        () => false,
      );
    },
    add: (...jobs) =>
      inTime(() => queue.addBulk(jobs.map((job) => ({ name: job.kind, data: job, opts: queuedAs(job) })))),
    addAgain: (mail, name) => inTime(() => sendAgain(queue, mail, name)),
    async stateOf(mail) {
      if (!isReady()) return 'waiting';
      const state = withTimeout(queue.getJobState(mailJobId(mail)), addTimeoutMs);
      return (await state.catch(() => 'unknown')) === 'failed' ? 'failed' : 'waiting';
    },
    async oldestWaiting() {
      const jobs = await queue.getJobs(
        ['waiting', 'prioritized', 'active', 'delayed'],
        0,
        OLDEST_AMONG,
        true,
      );
      return jobs.length > 0 ? Math.min(...jobs.map(({ timestamp }) => timestamp)) : undefined;
    },
    async close() {
      await queue.close();
      redis.disconnect();
    },
  };
}

async function sendAgain(queue: Queue<MailJob>, mail: RegistrationMail, name: string): Promise<void> {
  const jobId = mailJobId(mail);
  const state = await queue.getJobState(jobId);
  if (state === 'completed' || state === 'unknown') {
    await queue.add(mail.kind, { ...mail, again: true }, { jobId: `${jobId}-again-${name}` });
    return;
  }
  const job = await queue.getJob(jobId);
  if (state === 'failed') await job?.retry('failed', { resetAttemptsMade: true });
  else if (state === 'delayed') await job?.promote();
}
