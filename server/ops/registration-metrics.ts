import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CallWatcher } from '#server/payments/payments.ts';
import type { LimitWatcher } from '#server/registration/registration-limits.ts';
import { LETTER_LIMITS, LIMITS } from '#server/registration/registration-slots.ts';
import { startAtZero } from './metrics.ts';

/**
 * Counts the outcomes of registrations: their deposits, and the mails that are still owed when they are
 * answered.
 */
export function addRegistrationMetrics(registry: Registry) {
  const registers = [registry];
  const deposits = new Counter({
    name: 'deposits_total',
    help: 'Deposits begun, paid, held back (paid with another amount than expected), declined (each attempt) and closed after too many; what Stripe reports twice counts twice',
    labelNames: ['event'],
    registers,
  });
  const owed = new Counter({
    name: 'mails_owed_total',
    help: 'Mails that could not be queued when they fell due; the worker queues them within minutes',
    registers,
  });
  const counted = (event: 'begun' | 'paid' | 'held' | 'declined' | 'closed') => {
    startAtZero(deposits, { event });
    return () => deposits.inc({ event });
  };
  return {
    begun: counted('begun'),
    paid: counted('paid'),
    held: counted('held'),
    declined: counted('declined'),
    closed: counted('closed'),
    mailsOwed: (count: number) => owed.inc(count),
  };
}

/** Counts the registrations that a limit refused, and those that Redis did not count. */
export function addLimitMetrics(registry: Registry): LimitWatcher {
  const registers = [registry];
  const refused = new Counter({
    name: 'registrations_refused_total',
    help: 'Registrations, and joins of the waiting list, that were refused because there were too many, by limit',
    labelNames: ['limit'],
    registers,
  });
  const inMemory = new Counter({
    name: 'registrations_counted_in_memory_total',
    help: 'Registrations that this process counted by itself, because Redis could not',
    registers,
  });
  const withheld = new Counter({
    name: 'letters_withheld_total',
    help: 'Registrations whose letters wait until they are paid because there were too many, by limit',
    labelNames: ['limit'],
    registers,
  });
  const letterLimits = Object.values(LETTER_LIMITS).map((limit) => ({ limit }));
  startAtZero(refused, ...Object.values(LIMITS).map((limit) => ({ limit })), ...letterLimits);
  startAtZero(withheld, ...letterLimits);
  return {
    refused: (limit) => refused.inc({ limit }),
    withheld: (limit) => withheld.inc({ limit }),
    countedInMemory: () => inMemory.inc(),
  };
}

const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Times the calls to Stripe by operation and status, and counts those that got no answer. */
export function addPaymentMetrics(registry: Registry): CallWatcher {
  const registers = [registry];
  const durations = new Histogram({
    name: 'stripe_call_duration_seconds',
    help: 'Time that Stripe takes to answer, by operation and status',
    labelNames: ['operation', 'status'],
    buckets: BUCKETS_S,
    registers,
  });
  const throttled = new Counter({
    name: 'stripe_throttled_total',
    help: 'How often Stripe asked for fewer requests, by its reason',
    labelNames: ['reason'],
    registers,
  });
  startAtZero(throttled, { reason: 'global-rate' });
  const clock = new Gauge({
    name: 'stripe_clock_offset_seconds',
    help: 'By how much the clock of this machine is ahead of that of Stripe',
    registers,
  });
  const unreachable = new Counter({
    name: 'stripe_unreachable_total',
    help: 'How often Stripe did not answer, after all tries',
    registers,
  });
  return {
    answered({ operation, status, seconds, clockAheadS }) {
      durations.observe({ operation, status }, seconds);
      if (clockAheadS !== undefined) clock.set(clockAheadS);
    },
    throttled: (reason) => throttled.inc({ reason }),
    unreachable: () => unreachable.inc(),
  };
}
