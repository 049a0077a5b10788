import { EventEmitter, once } from 'node:events';
import { redisAt } from '#server/config/redis-settings.ts';
import type { MailJob } from '#server/mail/job.ts';
import { createMailQueue } from '#server/mail/queue.ts';
import { MAIL_JOB_OPTIONS, mailJobId } from '#server/mail/queued-job.ts';
import { createSmtpTransport } from '#server/mail/send-mail.ts';
import { startMailWorker } from '#server/mail/worker.ts';
import { connectProducer, connectWorker } from '#server/redis/connect-redis.ts';
import { createLogger } from '#server/service/logger.ts';
import { SENDER } from './mails.ts';

const BATCH = 50;

/** As high as the configuration lets it be. */
const PER_SECOND = 999_999;

/** The product's way: through the queue and its worker. */
export interface QueueSide {
  /** Queues mails, which is the app's work, for a worker that is held back. */
  fill(jobs: readonly MailJob[]): Promise<void>;
  /** Lets the worker go, and waits until it has sent so many. */
  send(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue and starts the worker as the product does; its log, written for nobody, costs what it costs. */
export async function openQueueSide(
  redisUrl: string,
  smtpUrl: string,
  concurrency: number,
): Promise<QueueSide> {
  const logger = createLogger('worker', 'info', { write: () => {} });
  const events = new EventEmitter();
  let sent = 0;
  const redis = connectWorker(redisAt(redisUrl), logger);
  const worker = startMailWorker({
    redis,
    sender: { ...SENDER, transport: createSmtpTransport(smtpUrl, concurrency) },
    outbox: { findDue: async (job) => job, now: () => new Date(), markSent: async () => {} },
    outcomes: {
      sent() {
        sent += 1;
        events.emit('sent');
      },
      dropped: (kind) => events.emit('error', new Error(`A mail was not sent: ${kind}`)),
      failed: (kind) => events.emit('error', new Error(`A mail could not be sent: ${kind}`)),
    },
    logger,
    concurrency,
    perSecond: PER_SECOND,
  });
  const queue = createMailQueue(connectProducer(redisAt(redisUrl), logger), logger);
  await queue.bullQueue.waitUntilReady();
  return {
    async fill(jobs) {
      await queue.bullQueue.pause();
      for (let start = 0; start < jobs.length; start += BATCH) {
        await queue.bullQueue.addBulk(jobs.slice(start, start + BATCH).map(bulkJob));
      }
    },
    async send(count) {
      const wanted = sent + count;
      await queue.bullQueue.resume();
      while (sent < wanted) await once(events, 'sent');
    },
    async close() {
      await queue.close();
      await worker.close();
      redis.disconnect();
    },
  };
}

function bulkJob(job: MailJob) {
  return { name: job.kind, data: job, opts: { ...MAIL_JOB_OPTIONS, jobId: mailJobId(job) } };
}
