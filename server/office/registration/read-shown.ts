import type { ActContext } from '#server/acts/act-context.ts';
import { jobsOfPayment } from '#server/acts/mail-jobs.ts';
import { causeOf } from '#server/http/app-error.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { ReadModel } from '#server/register/read-model.ts';
import type { Logger } from '#server/service/logger.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Situation } from './registration-act.ts';

/** A person waits for the page: less than what the requests to Stripe may take with all their tries. */
const STRIPE_TIMEOUT_MS = 8_000;
const REDIS_TIMEOUT_MS = 2_000;

export interface ReadDependencies {
  payments: Pick<Payments, 'findRegistration'>;
  readModel: Pick<ReadModel, 'find' | 'readAt'>;
  context: ActContext;
  logger: Logger;
  now: () => Date;
}

/** How much of a registration could be read. */
export interface Shown extends Situation {
  /** Absent where it was read at Stripe at this moment; else when the list read it there last. */
  listedAt?: Date | undefined;
  /** Redis could not tell of the letters. */
  lettersAway: boolean;
}

/** Stripe does not tell of a registration now. */
export class StripeAway extends Error {}

/**
 * A registration as it is at this moment, at Stripe and on the queue; undefined when there is none of this ID.
 * @throws {StripeAway} when Stripe does not tell
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

/** The same as the list has it, with the moment at which it was read at Stripe. */
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
