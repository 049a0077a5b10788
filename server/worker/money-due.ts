import { setTimeout as pause } from 'node:timers/promises';
import { reasonOfDecline } from '#server/registration/declines.ts';
import type { Logger } from '#server/service/logger.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { isThrottled } from '#server/stripe/stripe-calls.ts';
import type { DeclineReason } from '#shared/own-page.ts';

/**
 * How many balances are charged at once, and the interval between the starts. Each takes six requests: that
 * makes 18 a second, and Stripe allows 25 in test mode and 100 otherwise, of which visitors need some. A
 * thousand take less than six minutes, if Stripe answers within 0.3 s. Refunds are few.
 */
const CHARGES = {
  atOnce: 8,
  everyMs: 330,
  done: 'Balances charged',
  failed: 'A balance could not be charged',
};
const REFUNDS = {
  atOnce: 1,
  everyMs: 0,
  done: 'Refunds worked off',
  failed: 'A refund could not be made',
};

/** After this many failures without a success in between, Stripe is considered down: the rest is left for later. */
const FAILURES_IN_A_ROW = 8;

/** Stripe throttles: the rest is left to visitors, and stays due. */
const LATER = 'later';

/** Is notified of the results of charging and refunding. */
export interface MoneyWatcher {
  charged(): void;
  declined(reason: DeclineReason): void;
  refunded(): void;
  refundRefused(): void;
}

interface MoneyDependencies {
  payments: Pick<Payments, 'ask'>;
  money: MoneyWatcher;
  logger: Logger;
  now: () => Date;
  /** Called after each. */
  after: (id: string) => Promise<void>;
  /** Aborts once another worker may have taken over. */
  signal: AbortSignal | undefined;
}

/** Charges the balances of some registrations, A failure of one does not stop the others. */
export async function chargeAll(ids: readonly string[], dependencies: MoneyDependencies): Promise<void> {
  const { payments, money, logger, now } = dependencies;
  const move = async (registration: string): Promise<string> => {
    const outcome = await payments.ask(chargeBalance, registration, now());
    if (outcome.type === 'charged') {
      money.charged();
      logger.info({ registration, amountCents: outcome.cents }, 'Balance charged');
    } else if (outcome.type === 'declined') {
      const { code, try: number, next } = outcome.decline;
      money.declined(reasonOfDecline(code));
      logger.warn({ registration, code, try: number, next }, 'Balance declined');
    } else logger.info({ registration, why: outcome.why }, 'Balance not charged');
    return outcome.type;
  };
  await moveAll(ids, { ...CHARGES, move }, dependencies);
}

/** Makes the refunds that are due for some registrations, one after the other. A failure of one does not stop the others. */
export async function refundAll(ids: readonly string[], dependencies: MoneyDependencies): Promise<void> {
  const { payments, money, logger, now } = dependencies;
  const move = async (registration: string): Promise<string> => {
    const outcome = await payments.ask(makeDueRefunds, registration, now());
    if (outcome.type === 'given-back') {
      if (outcome.cents > 0) money.refunded();
      logger.info({ registration, amountCents: outcome.cents }, 'Refund worked off');
    } else if (outcome.type === 'refused') {
      money.refundRefused();
      logger.error({ registration, code: outcome.code }, 'Stripe refuses a refund: a person must look');
    } else logger.info({ registration, why: outcome.why }, 'Nothing given back');
    return outcome.type;
  };
  await moveAll(ids, { ...REFUNDS, move }, dependencies);
}

interface Moving {
  atOnce: number;
  everyMs: number;
  /** Returns its outcome. */
  move: (id: string) => Promise<string>;
  /** What the log says. */
  done: string;
  failed: string;
}

/** Does the same for some registrations, several at once. */
async function moveAll(
  ids: readonly string[],
  { atOnce, everyMs, move, done, failed }: Moving,
  { logger, after, signal }: Pick<MoneyDependencies, 'logger' | 'after' | 'signal'>,
): Promise<void> {
  const counts: Record<string, number> = {};
  const count = (outcome: string, number = 1) => {
    counts[outcome] = (counts[outcome] ?? 0) + number;
  };
  let failures = 0;
  let throttled = false;
  const moveOne = async (id: string): Promise<void> => {
    const outcome = await move(id).catch((error: unknown) => {
      if (isThrottled(error)) return LATER;
      logger.error({ err: error, registration: id }, failed);
      return 'failed';
    });
    if (outcome === LATER) {
      throttled = true;
      count(LATER);
      return;
    }
    failures = outcome === 'failed' ? failures + 1 : 0;
    count(outcome);
    await after(id);
  };
  const inFlight = new Set<Promise<void>>();
  let startedAt = Number.NEGATIVE_INFINITY;
  for (const [index, id] of ids.entries()) {
    if (signal?.aborted) break;
    if (throttled) {
      count(LATER, ids.length - index);
      break;
    }
    if (failures >= FAILURES_IN_A_ROW) {
      const left = ids.length - index;
      count('failed', left);
      logger.error({ left }, 'Stripe fails: charges and refunds are left for later');
      break;
    }
    await pause(Math.max(startedAt + everyMs - performance.now(), 0));
    startedAt = performance.now();
    const one = moveOne(id).finally(() => inFlight.delete(one));
    inFlight.add(one);
    if (inFlight.size >= atOnce) await Promise.race(inFlight);
  }
  await Promise.all(inFlight);
  if (ids.length > 0) logger.info(counts, done);
}
