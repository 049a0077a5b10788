import { Queue } from 'bullmq';
import { AppError } from '#server/http/app-error.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { messages } from '#shared/registration.ts';
import {
  MAIL_JOB_OPTIONS,
  MAIL_QUEUE_NAME,
  type MailJob,
  mailJobId,
  queuedAs,
  type RegistrationMail,
} from './job.ts';

/** The most that a mail may add to a request while Redis is away or hanging; with the limits' 100 ms, 250 in all (R5.1). */
const ADD_TIMEOUT_MS = 150;

const ANSWER_TIMEOUT_MS = 1_000;

/** The oldest of a queue that is longer than this is old enough to be noticed. */
const OLDEST_AMONG = 200;

/** The mail could not be put on the queue in time. */
export class MailQueueUnavailable extends AppError {
  constructor(reason: string, options?: ErrorOptions) {
    const cause = new Error(`The mail could not be queued: ${reason}`, options);
    super({ code: 'mail_queue_unavailable', status: 503, message: messages.unexpected, cause });
  }
}

/** Where features leave the mails they owe. */
export interface MailQueue {
  /**
   * Queues mails, each once for its kind, payment and address; answers within 150 ms.
   * @throws {MailQueueUnavailable} while Redis is away or hanging: any of them may be queued nevertheless
   */
  add(...jobs: MailJob[]): Promise<void>;
  /**
   * Has a mail sent though one was sent before; one that still waits goes out by itself, and one that failed is tried again.
   * @param name tells it from others of the same mail: under the same name it is queued once
   * @throws {MailQueueUnavailable} as above
   */
  addAgain(job: RegistrationMail, name: string): Promise<void>;
  /** Whether a mail that is not on record as sent waits, or failed for good; `waiting` too while Redis is away. */
  stateOf(job: MailJob): Promise<'waiting' | 'failed'>;
  isReady(): boolean;
  /** Whether Redis answers within a second: one that hangs is connected, and answers nothing. */
  isAnswering(): Promise<boolean>;
  /** When the oldest mail that is not sent yet was queued, in milliseconds since the epoch; failed ones aside. */
  oldestWaiting(): Promise<number | undefined>;
  close(): Promise<void>;
  /** For the ops page. */
  readonly bullQueue: Queue<MailJob>;
}

/** The mail queue on a connection made by `connectProducer`, which it then owns. */
export function createMailQueue(redis: RedisClient, logger: Logger): MailQueue {
  const queue = new Queue<MailJob>(MAIL_QUEUE_NAME, {
    ...queueOn(redis),
    defaultJobOptions: MAIL_JOB_OPTIONS,
  });
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const isReady = (): boolean => redis.status === 'ready';
  const inTime = async (work: () => Promise<unknown>): Promise<void> => {
    if (!isReady()) throw new MailQueueUnavailable('Redis is away');
    await withTimeout(work(), ADD_TIMEOUT_MS).catch((error: unknown) => {
      throw new MailQueueUnavailable('Redis does not take it', { cause: error });
    });
  };
  return {
    bullQueue: queue,
    isReady,
    async isAnswering() {
      if (!isReady()) return false;
      // Of a cluster, the server that has the mails is to answer.
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
      const state = withTimeout(queue.getJobState(mailJobId(mail)), ADD_TIMEOUT_MS);
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
