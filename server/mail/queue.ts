import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '#server/logger.ts';
import { withTimeout } from '#server/with-timeout.ts';
import { MAIL_JOB_OPTIONS, MAIL_QUEUE_NAME, type MailJob, mailJobId } from './job.ts';

/** The most that a mail may add to a request while Redis is away or hanging; with the limits' 100 ms, 250 in all (R5.1). */
const ADD_TIMEOUT_MS = 150;

/** The mail could not be put on the queue in time. */
export class MailQueueUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`The mail could not be queued: ${reason}`, options);
    this.name = 'MailQueueUnavailable';
  }
}

/** Where features leave the mails they owe. */
export interface MailQueue {
  /**
   * Queues a mail, once for each kind and payment; answers within 150 ms.
   * @throws {MailQueueUnavailable} while Redis is away or hanging
   */
  add(job: MailJob): Promise<void>;
  isReady(): boolean;
  close(): Promise<void>;
  /** For the ops page. */
  readonly bullQueue: Queue<MailJob>;
}

/** The mail queue on a connection made by `connectProducer`, which it then owns. */
export function createMailQueue(redis: Redis, logger: Logger): MailQueue {
  const queue = new Queue<MailJob>(MAIL_QUEUE_NAME, {
    connection: redis,
    defaultJobOptions: MAIL_JOB_OPTIONS,
  });
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const isReady = (): boolean => redis.status === 'ready';
  return {
    bullQueue: queue,
    isReady,
    async add(job) {
      if (!isReady()) throw new MailQueueUnavailable('Redis is away');
      const added = queue.add(job.kind, job, { jobId: mailJobId(job) });
      await withTimeout(added, ADD_TIMEOUT_MS).catch((error: unknown) => {
        throw new MailQueueUnavailable('Redis does not take it', { cause: error });
      });
    },
    async close() {
      await queue.close();
      redis.disconnect();
    },
  };
}
