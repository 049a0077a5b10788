import type { LetterLog } from '#server/mail/letter-log.ts';
import { type LetterQueue, oweLetters } from '#server/mail/queue.ts';
import { laterLettersDue } from '#server/payments/later-letters.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { Logger } from '#server/service/logger.ts';

export interface RefreshDependencies {
  register: Pick<Payments, 'findRegistration'>;
  queue: LetterQueue;
  letterLog: Pick<LetterLog, 'owe'>;
  logger: Logger;
  now: () => Date;
}

/**
 * After a charge, a refund or an act for a registration: reads it again, which records its payments, and queues its
 * letters.
 * @returns undefined where that failed: the next walk does it
 */
export async function refreshAndQueueLetters(
  depositId: string,
  { register, queue, letterLog, logger, now }: RefreshDependencies,
): Promise<RegistrationRecord | undefined> {
  try {
    const registration = await register.findRegistration(depositId);
    if (!registration) return undefined;
    await oweLetters(laterLettersDue(registration, now()), { queue, letterLog, now: now() });
    return registration;
  } catch (error) {
    const facts = { err: error, paymentIntent: depositId };
    logger.warn(facts, 'What came of a charge or a refund is told by the next walk');
    return undefined;
  }
}
