import type { Queue } from 'bullmq';
import type { Logger } from '#server/logger.ts';
import { MAIL_JOB_OPTIONS, type MailJob, mailJobId, SENT_KEPT_S } from './job.ts';

/** What a walk finds, see `Payments.findAllDue`. */
type Due =
  | { type: 'letter'; letter: MailJob }
  | { type: 'closing'; paymentIntentId: string }
  | { type: 'attention'; paymentIntentId: string };

/** Where it stands what is due: Stripe's record of each payment. */
export interface Register {
  /** All that is due for registrations begun since a moment; when registration is over also what is to be closed. */
  findAllDue(since: Date, isOver: boolean): AsyncIterable<Due>;
  /** Closes a registration that was not paid in time; whether it did. */
  closeUnpaid(paymentIntentId: string): Promise<boolean>;
  /** Records that a mail was sent. */
  markSent(job: MailJob): Promise<void>;
}

interface WalkDependencies {
  register: Register;
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
}

/** The most that one walk takes off the queue: more waits for the next one. */
const FORGET_AT_ONCE = 10_000;

/**
 * Looks through the registrations begun since a moment. Mails that are owed and not on the queue, because Redis, the
 * worker or the app was down when they fell due, are queued under the names they would have had: what is there already
 * is not added twice. A mail that was sent and not recorded is recorded, one that failed for good is left to people.
 * What was not paid before registration ended is closed. Mails sent longer ago than the privacy text says are forgotten.
 */
export async function walk(
  { since, isOver }: { since: Date; isOver: boolean },
  { register, queue, logger }: WalkDependencies,
): Promise<Walked> {
  const walked: Walked = { queued: 0, recorded: 0, closed: 0, attention: 0 };
  for await (const due of register.findAllDue(since, isOver)) {
    switch (due.type) {
      case 'letter': {
        const done = await settle(due.letter, register, queue);
        if (done) walked[done] += 1;
        break;
      }
      case 'closing':
        if (await register.closeUnpaid(due.paymentIntentId)) walked.closed += 1;
        break;
      case 'attention':
        walked.attention += 1;
        logger.error(
          { paymentIntent: due.paymentIntentId },
          'A payment of this site needs a person to look at it',
        );
    }
  }
  // BullMQ forgets by age only when another mail is sent.
  await queue.clean(SENT_KEPT_S * 1000, FORGET_AT_ONCE, 'completed');
  if (Object.values(walked).some((count) => count > 0)) logger.info(walked, 'Registrations looked through');
  return walked;
}

async function settle(
  letter: MailJob,
  register: Register,
  queue: Queue<MailJob>,
): Promise<'queued' | 'recorded' | undefined> {
  const jobId = mailJobId(letter);
  const state = await queue.getJobState(jobId);
  if (state === 'unknown') {
    await queue.add(letter.kind, letter, { ...MAIL_JOB_OPTIONS, jobId });
    return 'queued';
  }
  if (state === 'completed') {
    await register.markSent(letter);
    return 'recorded';
  }
  return undefined;
}
