import type { ActContext } from '#server/acts/act.ts';
import { jobsOfPayment } from '#server/acts/mail-jobs.ts';
import type { Situation } from '#server/acts/registration-act.ts';
import { causeOf } from '#server/http/app-error.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { withTimeout } from '#server/service/with-timeout.ts';

/** Shorter than what the requests to Stripe may take with all their attempts, because a person waits for the page. */
const STRIPE_TIMEOUT_MS = 8_000;
const REDIS_TIMEOUT_MS = 2_000;

interface ReadDependencies
  extends Pick<OfficeDependencies, 'payments' | 'registrationList' | 'logger' | 'now'> {
  context: ActContext;
}

/** A registration as far as it could be read. */
export interface Shown extends Situation {
  /** Absent if it was read at Stripe just now; otherwise when its payments were recorded as they are shown. */
  recordedAt?: Date | undefined;
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
  if (!record) return undefined;
  const messages = await payments.readMessages(record.edition);
  return { record, now: dependencies.now(), messages, ...letters };
}

/** The same from the register, without asking Stripe. */
export async function readRecorded(id: string, dependencies: ReadDependencies): Promise<Shown | undefined> {
  const { registrationList, payments, now } = dependencies;
  const found = await registrationList.find(id);
  if (!found) return undefined;
  const messages = await payments.readMessages(found.record.edition);
  return { ...found, now: now(), messages, ...(await lettersOf(id, dependencies)) };
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
