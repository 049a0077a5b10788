import type { JobsOptions, Queue } from 'bullmq';
import type { Logger } from '#server/service/logger.ts';
import type { Due, IsOver } from './job.ts';
import { MAIL_JOB_OPTIONS, type MailJob, mailJobId, SENT_KEPT_S } from './job.ts';

/** Where it stands what is due: Stripe's record of each payment. */
export interface DueRecord {
  /** All that is due for registrations begun since a moment; when registration is over also what is to be closed. */
  findAllDue(since: Date, isOver: IsOver): AsyncIterable<Due>;
  /** Closes a registration that was not paid in time; whether it did. */
  closeUnpaid(paymentIntentId: string): Promise<boolean>;
  /** Records that a mail was sent. */
  markSent(job: MailJob): Promise<void>;
}

interface WalkDependencies {
  record: DueRecord;
  queue: Queue<MailJob>;
  logger: Logger;
}

/** What came of a walk, in numbers. */
export interface Walked {
  /** Letters that were owed and not on the queue. */
  queued: number;
  /** Letters that were sent and not recorded. */
  recorded: number;
  /** Registrations that were not paid in time. */
  closed: number;
  /** Payments that a person must look at. */
  attention: number;
  /** What could not be done now. */
  failed: number;
}

/** The most that one walk takes off the queue: more waits for the next one. */
const FORGET_AT_ONCE = 10_000;

/**
 * Looks through the registrations begun since a moment. Mails that are owed and not on the queue, because Redis, the
 * worker or the app was down when they fell due, are queued under the names they would have had: what is there already
 * is not added twice. A mail that was sent and not recorded is recorded, one that failed permanently is left to
 * support. What was not paid before registration ended is closed. An error with one of them does not stop the others.
 */
export async function walk(
  { since, isOver }: { since: Date; isOver: IsOver },
  { record, queue, logger }: WalkDependencies,
): Promise<Walked> {
  const walked: Walked = { queued: 0, recorded: 0, closed: 0, attention: 0, failed: 0 };
  for await (const due of record.findAllDue(since, isOver)) {
    try {
      const done = await handleDue(due, { record, queue, logger });
      if (done) walked[done] += 1;
    } catch (error) {
      walked.failed += 1;
      const paymentIntent = due.type === 'letter' ? due.letter.paymentIntentId : due.paymentIntentId;
      logger.error(
        { err: error, paymentIntent, due: due.type },
        'Something that is due for a registration could not be done',
      );
    }
  }
  if (Object.values(walked).some((count) => count > 0)) logger.info(walked, 'Registrations looked through');
  return walked;
}

/** Takes mails that were sent longer ago than the privacy text says off the queue: BullMQ does so when others are sent. */
export async function forgetSent(queue: Queue<MailJob>): Promise<void> {
  await queue.clean(SENT_KEPT_S * 1000, FORGET_AT_ONCE, 'completed');
}

async function handleDue(
  due: Due,
  { record, queue, logger }: WalkDependencies,
): Promise<keyof Walked | undefined> {
  switch (due.type) {
    case 'letter':
      return settle(due.letter, record, queue);
    case 'closing':
      return (await record.closeUnpaid(due.paymentIntentId)) ? 'closed' : undefined;
    case 'attention':
      logger.error(
        { paymentIntent: due.paymentIntentId },
        'A payment of this site needs a person to look at it',
      );
      return 'attention';
  }
}

async function settle(
  letter: MailJob,
  record: DueRecord,
  queue: Queue<MailJob>,
): Promise<'queued' | 'recorded' | undefined> {
  const jobId = mailJobId(letter);
  const state = await queue.getJobState(jobId);
  if (state === 'unknown') {
    await queue.add(letter.kind, letter, { ...MAIL_JOB_OPTIONS, jobId });
    return 'queued';
  }
  if (state === 'completed') {
    await record.markSent(letter);
    return 'recorded';
  }
  return undefined;
}

/** The queue of walks: they happen one at a time, whatever the number of workers. A Redis in use knows it by this name. */
export const WALK_QUEUE_NAME = 'mail-sweep';

/** The walk that is asked for: however often it is, it waits there once. */
export const WALK_NOW = 'now';
export const WALK_NOW_OPTIONS = {
  jobId: WALK_NOW,
  removeOnComplete: true,
  removeOnFail: true,
} satisfies JobsOptions;
