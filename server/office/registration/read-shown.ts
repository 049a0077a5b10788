import type { ActContext } from '#server/acts/act-context.ts';
import { jobsOfPayment } from '#server/acts/mail-jobs.ts';
import { causeOf } from '#server/http/app-error.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { ReadModel } from '#server/register/read-model.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Situation } from './registration-act.ts';

/**
 * Shorter than what the requests to Stripe may take with all their attempts, because a person waits for the
 * page.
 */
const STRIPE_TIMEOUT_MS = 8_000;
const REDIS_TIMEOUT_MS = 2_000;

export interface ReadDependencies {
  payments: Pick<Payments, 'findRegistration'>;
  readModel: Pick<ReadModel, 'find' | 'readAt'>;
  context: ActContext;
  logger: Logger;
  now: () => Date;
}

/** A registration as far as it could be read. */
export interface Shown extends Situation {
  /** Absent if it was read at Stripe just now; otherwise when the list last read it there. */
  listedAt?: Date | undefined;
  /** The letters could not be read from Redis. */
  lettersAway: boolean;
}

/** Stripe does not answer for a registration now. */
export class StripeAway extends Error {}

/**
 * The current state of a registration, at Stripe and on the queue; undefined when there is none with this ID.
 * @throws {StripeAway} when Stripe does not answer
 */
export async function readShown(id: string, dependencies: ReadDependencies): Promise<Shown | undefined> {
  const { payments, logger } = dependencies;
  const [record, letters] = await Promise.all([
    withTimeout(payments.findRegistration(id), STRIPE_TIMEOUT_MS).catch((error: unknown) => {
      logger.warn(
        { err: causeOf(error), paymentIntent: id },
        'Stripe does not tell the office of a registration',
      );
      throw new StripeAway('Stripe does not answer', { cause: error });
    }),
    lettersOf(id, dependencies),
  ]);
  return record && { record, now: dependencies.now(), ...letters };
}

/** The same from the list, with the moment at which it was read at Stripe. */
export async function readListed(id: string, dependencies: ReadDependencies): Promise<Shown | undefined> {
  const { readModel, now } = dependencies;
  for (const edition of editions) {
    const reading = Promise.all([readModel.find(edition, id), readModel.readAt(edition, id)]);
    const [record, listedAt] = await withTimeout(reading, REDIS_TIMEOUT_MS).catch(() => []);
    if (!record || !listedAt) continue;
    return { record, now: now(), listedAt, ...(await lettersOf(id, dependencies)) };
  }
  return undefined;
}

async function lettersOf(
  id: string,
  { context, logger }: ReadDependencies,
): Promise<Pick<Shown, 'letters' | 'lettersAway'>> {
  try {
    return { letters: await withTimeout(jobsOfPayment(context, id), REDIS_TIMEOUT_MS), lettersAway: false };
  } catch (error) {
    logger.warn({ err: error, paymentIntent: id }, 'The queue does not tell the office of letters');
    return { letters: [], lettersAway: true };
  }
}
