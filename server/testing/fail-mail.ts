import { UnrecoverableError, Worker } from 'bullmq';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { QUEUE_PREFIX } from '#server/redis/queue-on.ts';
import type { TestRedis } from './test-redis.ts';

/** Lets a queued mail, and all others that wait with it, fail for good, as if a mail server had refused them. */
export async function failMail({ url }: TestRedis, jobId: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const refuse = async () => {
    throw new UnrecoverableError('550 no such mailbox');
  };
  const connection = { host: hostname, port: Number(port) };
  const worker = new Worker(MAIL_QUEUE_NAME, refuse, { connection, prefix: QUEUE_PREFIX });
  await new Promise<void>((resolve) =>
    worker.on('failed', (job) => {
      if (job?.id === jobId) resolve();
    }),
  );
  await worker.close();
}
