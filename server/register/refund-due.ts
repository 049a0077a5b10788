import type { RefundOutcome } from '#server/payments/make-due-refunds.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { type RefreshDependencies, refreshAndQueueLetters } from './refresh-and-queue-letters.ts';

/** After this many failures in a row Stripe is considered down: the next walk does the rest. */
const FAILURES_IN_A_ROW = 8;

/** Is notified of the results of refunding. */
export interface RefundWatcher {
  /** A refund to a card was made. */
  made(): void;
  /** Stripe refused a refund that was decided. */
  refused(): void;
}

interface RefundDependencies extends RefreshDependencies {
  register: Pick<Payments, 'makeDueRefunds' | 'findRegistration'>;
  watcher: RefundWatcher;
}

/** The results of the refunds of a walk. */
export interface Refunded {
  /** The registrations as they were read after the refund. */
  registrations: RegistrationRecord[];
  counts: { 'given-back': number; refused: number; stopped: number; failed: number };
}

/**
 * Makes the refunds that are due for some registrations, given by their deposits, one after the other. After
 * each refund the registration is read again, and its letters are queued. A failure of one does not stop the
 * others.
 */
export async function refundAll(
  depositIds: readonly string[],
  dependencies: RefundDependencies,
): Promise<Refunded> {
  const { logger } = dependencies;
  const counts: Refunded['counts'] = { 'given-back': 0, refused: 0, stopped: 0, failed: 0 };
  const registrations: RegistrationRecord[] = [];
  let failures = 0;
  for (const [index, depositId] of depositIds.entries()) {
    if (failures >= FAILURES_IN_A_ROW) {
      counts.failed += depositIds.length - index;
      logger.error({ left: depositIds.length - index }, 'Stripe fails: refunds are left to the next walk');
      break;
    }
    try {
      const { type } = await refund(depositId, dependencies);
      counts[type] += 1;
      failures = 0;
    } catch (error) {
      counts.failed += 1;
      failures += 1;
      logger.error({ err: error, paymentIntent: depositId }, 'A refund could not be made');
    }
    const registration = await refreshAndQueueLetters(depositId, dependencies);
    if (registration) registrations.push(registration);
  }
  if (depositIds.length > 0) logger.info(counts, 'Refunds worked off');
  return { registrations, counts };
}

async function refund(
  paymentIntent: string,
  { register, watcher, logger, now }: RefundDependencies,
): Promise<RefundOutcome> {
  const outcome = await register.makeDueRefunds(paymentIntent, now());
  switch (outcome.type) {
    case 'given-back':
      if (outcome.cents > 0) watcher.made();
      logger.info({ paymentIntent, amountCents: outcome.cents }, 'Refund worked off');
      break;
    case 'refused':
      watcher.refused();
      logger.error({ paymentIntent, code: outcome.code }, 'Stripe refuses a refund: a person must look');
      break;
    case 'stopped':
      logger.info({ paymentIntent, why: outcome.why }, 'Nothing given back');
  }
  return outcome;
}
