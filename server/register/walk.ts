import type { JobsOptions, Queue } from 'bullmq';
import * as v from 'valibot';
import type { MailJob, PersonMail } from '#server/mail/job.ts';
import { isoMoment } from '#server/mail/job-facts.ts';
import { mailJobId, SENT_KEPT_S } from '#server/mail/queued-job.ts';
import type { Announced, Due, IsOver } from '#server/payments/find-all-due.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { Logger } from '#server/service/logger.ts';
import { queueOnce } from './queue-once.ts';

/** The record at Stripe of who registered and what is due, as far as the walk uses it. */
export type Register = Pick<
  Payments,
  | 'findAllDue'
  | 'closeUnpaid'
  | 'fitBalance'
  | 'markSent'
  | 'chargeBalance'
  | 'makeDueRefunds'
  | 'findRegistration'
  | 'readAnnouncements'
>;

interface WalkDependencies {
  register: Pick<Register, 'findAllDue' | 'closeUnpaid' | 'fitBalance' | 'markSent'>;
  queue: Queue<MailJob>;
  logger: Logger;
}

/** The results of a walk, in numbers. */
interface Outcome {
  /** Letters that were owed and not on the queue. */
  queued: number;
  /** Letters that were sent and not recorded. */
  recorded: number;
  /** Registrations that were not paid in time. */
  closed: number;
  /** Open payments of a balance that were cancelled because they did not match what is left to pay. */
  fitted: number;
  /** Registrations and payments that a person must look at. */
  attention: number;
  /** What could not be done now. */
  failed: number;
}

/** What a walk found. */
export interface Walked {
  outcome: Outcome;
  /** As they were when they were read, the newest first. */
  registrations: readonly RegistrationRecord[];
  /** The registrations whose balance is to be charged, by their deposits. */
  toCharge: readonly string[];
  /**
   * The registrations for which a refund is to be made, or a cancellation to be completed, by their deposits.
   */
  toRefund: readonly string[];
}

/** The most jobs that one walk removes from the queue: the rest waits for the next walk. */
const FORGET_AT_ONCE = 10_000;

/**
 * Scans the registrations begun since a moment. Mails that are owed and not on the queue, because Redis, the
 * worker or the app was down when they fell due, are queued under the job ids that they would have had: a
 * mail that is on the queue already is not added twice. A mail that was sent and not recorded is recorded;
 * one that failed permanently is left to support. Deposits that were not paid before registration ended are
 * closed. Charges are left to `chargeAll`, refunds to `refundAll`. An error with one registration does not
 * stop the others.
 */
export async function walk(
  {
    since,
    now,
    isOver,
    announced,
    signal,
  }: {
    since: Date;
    now: Date;
    isOver: IsOver;
    announced?: Announced | undefined;
    signal?: AbortSignal | undefined;
  },
  { register, queue, logger }: WalkDependencies,
): Promise<Walked> {
  const outcome: Outcome = { queued: 0, recorded: 0, closed: 0, fitted: 0, attention: 0, failed: 0 };
  const registrations: RegistrationRecord[] = [];
  const toCharge: string[] = [];
  const toRefund: string[] = [];
  for await (const { paymentIntentId, due, registration } of register.findAllDue(
    since,
    now,
    isOver,
    announced,
  )) {
    signal?.throwIfAborted();
    if (registration) registrations.push(registration);
    for (const one of due) {
      if (one.type === 'charge' || one.type === 'refund') {
        (one.type === 'charge' ? toCharge : toRefund).push(paymentIntentId);
        continue;
      }
      try {
        const done = await handleDue(one, paymentIntentId, now, { register, queue, logger });
        if (done) outcome[done] += 1;
      } catch (error) {
        outcome.failed += 1;
        logger.error(
          { err: error, paymentIntent: paymentIntentId, due: one.type },
          'Something that is due for a registration could not be done',
        );
      }
    }
  }
  if (Object.values(outcome).some((count) => count > 0)) logger.info(outcome, 'Registrations looked through');
  return { outcome, registrations, toCharge, toRefund };
}

/**
 * Removes mails from the queue that were sent longer ago than the privacy text allows: BullMQ itself does so
 * only when other mails are sent.
 */
export async function forgetSent(queue: Queue<MailJob>): Promise<void> {
  await queue.clean(SENT_KEPT_S * 1000, FORGET_AT_ONCE, 'completed');
}

async function handleDue(
  due: Exclude<Due, { type: 'charge' | 'refund' }>,
  paymentIntentId: string,
  now: Date,
  { register, queue, logger }: WalkDependencies,
): Promise<keyof Outcome | undefined> {
  switch (due.type) {
    case 'letter': {
      const state = await queueOnce(queue, due.letter);
      return state === 'unknown' ? 'queued' : recordIfSent(due.letter, now, register, queue);
    }
    case 'record':
      return recordIfSent(due.letter, now, register, queue);
    case 'closing':
      return (await register.closeUnpaid(paymentIntentId)) ? 'closed' : undefined;
    case 'fit-balance':
      return (await register.fitBalance(paymentIntentId)) ? 'fitted' : undefined;
    case 'attention': {
      const facts = { paymentIntent: paymentIntentId, ...(due.reason && { reason: due.reason }) };
      logger.error(facts, 'A payment of this site needs a person to look at it');
      return 'attention';
    }
  }
}

/**
 * Records a letter as sent if its job on the queue is completed. The job holds the time at which it was sent;
 * without one, `now` is used.
 */
export async function recordIfSent<Letter extends PersonMail>(
  letter: Letter,
  now: Date,
  { markSent }: { markSent(letter: Letter, at: Date): Promise<void> },
  queue: Queue<MailJob>,
): Promise<'recorded' | undefined> {
  const job = await queue.getJob(mailJobId(letter));
  if (!job || !(await job.isCompleted())) return undefined;
  const sentAt = v.safeParse(isoMoment, job.returnvalue);
  await markSent(letter, sentAt.success ? new Date(sentAt.output) : now);
  return 'recorded';
}

/**
 * The queue of walks: one at a time, whatever the number of workers.
 */
export const WALK_QUEUE_NAME = 'walk';

/** A requested walk: however often it is requested, it is queued once; during a walk, one more follows it. */
export const WALK_NOW = 'now';
export const WALK_NOW_OPTIONS = {
  deduplication: { id: WALK_NOW, keepLastIfActive: true },
  removeOnComplete: true,
  removeOnFail: true,
} satisfies JobsOptions;
