import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '#server/logger.ts';
import { MAIL_QUEUE_NAME } from './job.ts';
import { type MailSender, sendMail } from './send-mail.ts';

/** Mails in flight at once. */
const CONCURRENCY = 5;

export interface MailWorker {
  isRunning(): boolean;
  /** Finishes the mails in flight, then closes; at once while Redis is away, since nothing can be handed back. */
  close(): Promise<void>;
}

/** Takes mails from the queue and sends them, on a connection made by `connectWorker`, which it then owns. */
export function startMailWorker(redis: Redis, sender: MailSender, logger: Logger): MailWorker {
  const worker = new Worker(MAIL_QUEUE_NAME, (job) => sendMail(job.data, sender), {
    connection: redis,
    concurrency: CONCURRENCY,
  });
  worker.on('error', (error) => logger.debug({ err: error }, 'Mail worker error'));
  worker.on('completed', (job) => logger.info({ job: job.id }, 'Mail sent'));
  worker.on('failed', (job, error) => {
    const final = job?.finishedOn !== undefined;
    const details = { ...refusalFacts(error), job: job?.id, attempts: job?.attemptsMade };
    if (final) logger.error(details, 'Mail failed for good');
    else logger.warn(details, 'Mail failed, will be tried again');
  });
  return {
    isRunning: () => worker.isRunning() && redis.status === 'ready',
    async close() {
      const force = redis.status !== 'ready';
      await worker.close(force);
      redis.disconnect();
      sender.transport.close();
    },
  };
}

/** For the log: what failed and at which command. The server's own words stay with the job: they hold addresses. */
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
