import { setTimeout as pause } from 'node:timers/promises';
import type { ChargeOutcome } from '#server/payments/charge-balance.ts';
import { reasonOfDecline } from '#server/payments/decline-reason.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { DeclineReason } from '#shared/own-page.ts';
import { type RefreshDependencies, refreshAndQueueLetters } from './refresh-and-queue-letters.ts';

/**
 * How many balances are charged at once, and the interval between the starts. Each takes eight requests: that
 * makes 24 a second, and Stripe allows 25 in test mode and 100 otherwise, of which visitors need some. A
 * thousand take less than six minutes, if Stripe answers within 0.3 s.
 */
const AT_ONCE = 8;
const EVERY_MS = 330;

/**
 * After this many failures without a success in between, Stripe is considered down: the next walk does the
 * rest.
 */
const FAILURES_IN_A_ROW = AT_ONCE;

/** Is notified of the results of charging balances. */
export interface ChargeWatcher {
  charged(): void;
  declined(reason: DeclineReason): void;
}

interface ChargeDependencies extends RefreshDependencies {
  register: Pick<Payments, 'chargeBalance' | 'findRegistration'>;
  watcher: ChargeWatcher;
}

/** The results of the charges of a walk. */
export interface Charged {
  /** The registrations as they were read after the charge. */
  registrations: RegistrationRecord[];
  counts: { charged: number; declined: number; stopped: number; failed: number };
}

/**
 * Charges the balances of some registrations, given by their deposits. After each charge the registration is
 * read again, and its letters are queued. A failure of one does not stop the others.
 */
export async function chargeAll(
  depositIds: readonly string[],
  dependencies: ChargeDependencies,
): Promise<Charged> {
  const { logger } = dependencies;
  const charged: Charged = {
    registrations: [],
    counts: { charged: 0, declined: 0, stopped: 0, failed: 0 },
  };
  let failures = 0;
  const chargeOne = async (depositId: string): Promise<void> => {
    try {
      const { type } = await charge(depositId, dependencies);
      charged.counts[type] += 1;
      failures = 0;
    } catch (error) {
      charged.counts.failed += 1;
      failures += 1;
      logger.error({ err: error, paymentIntent: depositId }, 'A balance could not be charged');
    }
    const registration = await refreshAndQueueLetters(depositId, dependencies);
    if (registration) charged.registrations.push(registration);
  };

  const inFlight = new Set<Promise<void>>();
  let startedAt = Number.NEGATIVE_INFINITY;
  for (const [index, depositId] of depositIds.entries()) {
    if (failures >= FAILURES_IN_A_ROW) {
      charged.counts.failed += depositIds.length - index;
      logger.error({ left: depositIds.length - index }, 'Stripe fails: balances are left to the next walk');
      break;
    }
    await pause(Math.max(startedAt + EVERY_MS - performance.now(), 0));
    startedAt = performance.now();
    const one = chargeOne(depositId).finally(() => inFlight.delete(one));
    inFlight.add(one);
    if (inFlight.size >= AT_ONCE) await Promise.race(inFlight);
  }
  await Promise.all(inFlight);
  if (depositIds.length > 0) logger.info(charged.counts, 'Balances charged');
  return charged;
}

async function charge(
  depositId: string,
  { register, watcher, logger, now }: ChargeDependencies,
): Promise<ChargeOutcome> {
  const outcome = await register.chargeBalance(depositId, now());
  const paymentIntent = depositId;
  switch (outcome.type) {
    case 'charged':
      watcher.charged();
      logger.info({ paymentIntent, amountCents: outcome.cents }, 'Balance charged');
      break;
    case 'declined': {
      const { code, try: number, next } = outcome.decline;
      watcher.declined(reasonOfDecline(outcome.decline.code));
      logger.warn({ paymentIntent, code, try: number, next }, 'Balance declined');
      break;
    }
    case 'stopped':
      logger.info({ paymentIntent, why: outcome.why }, 'Balance not charged');
  }
  return outcome;
}
