import type { JobsOptions } from 'bullmq';
import type { LetterLog } from '#server/mail/letter-log.ts';
import { type LetterQueue, oweLetters } from '#server/mail/queue.ts';
import { SENT_KEPT_S } from '#server/mail/queued-job.ts';
import type { Announced, Due, IsOver } from '#server/payments/find-all-due.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { Logger } from '#server/service/logger.ts';

/** Who registered and what is due, as far as the walk uses it. */
export type Register = Pick<
  Payments,
  | 'findAllDue'
  | 'closeUnpaid'
  | 'fitBalance'
  | 'chargeBalance'
  | 'makeDueRefunds'
  | 'findRegistration'
  | 'readAnnouncements'
  | 'clockAheadS'
>;

interface WalkDependencies {
  register: Pick<Register, 'findAllDue' | 'closeUnpaid' | 'fitBalance'>;
  letterLog: Pick<LetterLog, 'owe'>;
  queue: LetterQueue;
  logger: Logger;
}

/** The results of a walk, in numbers. */
interface Outcome {
  /** Letters that were owed and not on the queue. */
  queued: number;
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
 * mail that is on the queue already is not added twice; one that failed permanently is left to support.
 * Deposits that were not paid before registration ended are closed. Charges are left to `chargeAll`, refunds to
 * `refundAll`. An error with one registration does not stop the others.
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
  { register, letterLog, queue, logger }: WalkDependencies,
): Promise<Walked> {
  const outcome: Outcome = { queued: 0, closed: 0, fitted: 0, attention: 0, failed: 0 };
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
        const done = await handleDue(one, paymentIntentId, now, { register, letterLog, queue, logger });
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
export async function forgetSent(queue: LetterQueue): Promise<void> {
  await queue.clean(SENT_KEPT_S * 1000, FORGET_AT_ONCE, 'completed');
}

async function handleDue(
  due: Exclude<Due, { type: 'charge' | 'refund' }>,
  paymentIntentId: string,
  now: Date,
  { register, letterLog, queue, logger }: WalkDependencies,
): Promise<keyof Outcome | undefined> {
  switch (due.type) {
    case 'letter':
      return (await oweLetters([due.letter], { queue, letterLog, now })) > 0 ? 'queued' : undefined;
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
