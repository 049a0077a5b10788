import { reasonOfDecline } from '#server/registration/registration.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Metrics } from '#server/service/metrics.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { isThrottled } from '#server/stripe/stripe-calls.ts';

/** Each charge takes three requests of about 0.3 s, and Stripe allows 100 a second, of which visitors need some. */
const CHARGES = { atOnce: 8, failed: 'A balance could not be charged' };
const REFUNDS = { atOnce: 1, failed: 'A refund could not be made' };

/** After this many failures without a success in between, Stripe is considered down: the rest is left for later. */
const FAILURES_IN_A_ROW = 8;

interface MoneyDependencies {
  payments: Pick<Payments, 'ask'>;
  metrics: Pick<Metrics, 'count'>;
  logger: Logger;
  now: () => Date;
  after: (id: string) => Promise<void>;
  signal: AbortSignal | undefined;
}

export async function chargeAll(ids: readonly string[], dependencies: MoneyDependencies): Promise<void> {
  const { payments, metrics, logger, now } = dependencies;
  const charge = async (registration: string): Promise<void> => {
    const outcome = await payments.ask(chargeBalance, registration, now());
    if (outcome.type === 'charged') {
      metrics.count('balances_charged_total');
      logger.info({ registration, amountCents: outcome.cents }, 'Balance charged');
    } else if (outcome.type === 'declined') {
      const { code, try: number, next } = outcome.decline;
      metrics.count('balances_declined_total', { reason: reasonOfDecline(code) });
      logger.warn({ registration, code, try: number, next }, 'Balance declined');
    } else logger.info({ registration, why: outcome.why }, 'Balance not charged');
  };
  await moveAll(ids, CHARGES, charge, dependencies);
}

export async function refundAll(ids: readonly string[], dependencies: MoneyDependencies): Promise<void> {
  const { payments, metrics, logger, now } = dependencies;
  const refund = async (registration: string): Promise<void> => {
    const outcome = await payments.ask(makeDueRefunds, registration, now());
    if (outcome.type === 'given-back') {
      if (outcome.cents > 0) metrics.count('refunds_total', { outcome: 'made' });
      logger.info({ registration, amountCents: outcome.cents }, 'Refund worked off');
    } else if (outcome.type === 'refused') {
      metrics.count('refunds_total', { outcome: 'refused' });
      logger.error({ registration, code: outcome.code }, 'Stripe refuses a refund: a person must look');
    } else logger.info({ registration, why: outcome.why }, 'Nothing given back');
  };
  await moveAll(ids, REFUNDS, refund, dependencies);
}

/** Does the same for some registrations, until Stripe throttles or is down: what is left stays due. */
async function moveAll(
  ids: readonly string[],
  { atOnce, failed }: typeof CHARGES,
  move: (id: string) => Promise<void>,
  { logger, after, signal }: MoneyDependencies,
): Promise<void> {
  let failures = 0;
  let later = 0;
  const moveOne = async (id: string): Promise<void> => {
    try {
      await move(id);
      failures = 0;
    } catch (error) {
      if (isThrottled(error)) {
        later += 1;
        return;
      }
      failures += 1;
      logger.error({ err: error, registration: id }, failed);
    }
    await after(id);
  };
  let at = 0;
  while (at < ids.length && failures < FAILURES_IN_A_ROW && later === 0 && !signal?.aborted) {
    await Promise.all(ids.slice(at, at + atOnce).map(moveOne));
    at += atOnce;
  }
  const left = Math.max(0, ids.length - at);
  if (later > 0) logger.info({ later: later + left }, 'Stripe throttles: this is left for later');
  else if (failures >= FAILURES_IN_A_ROW)
    logger.error({ left }, 'Stripe fails: charges and refunds are left for later');
}
