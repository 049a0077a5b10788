import type { Queue } from 'bullmq';
import type { Logger } from '#server/logger.ts';
import { MAIL_JOB_OPTIONS, type MailJob, mailJobId } from './job.ts';

/** Where it stands which mails are owed and which are sent: Stripe's record of each payment. */
export interface Outbox {
  /** The mails that registrations begun since a moment owe. */
  owedMails(since: Date): AsyncIterable<MailJob>;
  /** Records that a mail was sent. */
  markSent(job: MailJob): Promise<void>;
}

interface SweepDependencies {
  outbox: Outbox;
  queue: Queue<MailJob>;
  logger: Logger;
}

/**
 * Finds the mails that are owed and not on the queue, because Redis, the worker or the app was down when they fell
 * due, and queues them under the names they would have had: what is there already is not added twice. A mail that was
 * sent and not recorded is recorded. One that failed for good is left to people.
 */
export async function sweepOwedMails(
  since: Date,
  { outbox, queue, logger }: SweepDependencies,
): Promise<{ queued: number; recorded: number }> {
  const found = { queued: 0, recorded: 0 };
  for await (const mail of outbox.owedMails(since)) {
    const jobId = mailJobId(mail);
    const state = await queue.getJobState(jobId);
    if (state === 'unknown') {
      await queue.add(mail.kind, mail, { ...MAIL_JOB_OPTIONS, jobId });
      found.queued += 1;
    }
    if (state === 'completed') {
      await outbox.markSent(mail);
      found.recorded += 1;
    }
  }
  if (found.queued + found.recorded > 0) logger.info(found, 'Owed mails found');
  return found;
}
