import type { Registry } from 'prom-client';
import type { CallWatcher } from '#server/payments/payments.ts';
import { LETTER_LIMITS, LIMITS, type LimitWatcher } from '#server/registration/registration-limits.ts';
import { metricsIn } from './metrics.ts';

/** Counts the outcomes of registrations: their deposits, and the mails that are still owed when they are answered. */
export function addRegistrationMetrics(registry: Registry) {
  const { counter } = metricsIn(registry);
  const events = ['begun', 'paid', 'held', 'declined', 'closed'] as const;
  const deposits = counter(
    'deposits_total',
    'Deposits begun, paid, held back (paid with another amount than expected), declined (each attempt) and closed after too many; what Stripe reports twice counts twice',
    events.map((event) => ({ event })),
  );
  const owed = counter(
    'mails_owed_total',
    'Mails that could not be queued when they fell due; the worker queues them within minutes',
  );
  const counted = (event: (typeof events)[number]) => () => deposits.inc({ event });
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
  const { counter } = metricsIn(registry);
  const letterLimits = Object.values(LETTER_LIMITS).map((limit) => ({ limit }));
  const refused = counter(
    'registrations_refused_total',
    'Registrations, and joins of the waiting list, that were refused because there were too many, by limit',
    [...Object.values(LIMITS).map((limit) => ({ limit })), ...letterLimits],
  );
  const inMemory = counter(
    'registrations_counted_in_memory_total',
    'Registrations that this process counted by itself, because Redis could not',
  );
  const withheld = counter(
    'letters_withheld_total',
    'Registrations whose letters wait until they are paid because there were too many, by limit',
    letterLimits,
  );
  return {
    refused: (limit) => refused.inc({ limit }),
    withheld: (limit) => withheld.inc({ limit }),
    countedInMemory: () => inMemory.inc(),
  };
}

const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Times the calls to Stripe by operation and status, and counts those that got no answer. */
export function addPaymentMetrics(registry: Registry): CallWatcher {
  const { counter, gauge, histogram } = metricsIn(registry);
  const help = 'Time that Stripe takes to answer, by operation and status';
  const durations = histogram('stripe_call_duration_seconds', help, ['operation', 'status'], BUCKETS_S);
  const throttled = counter(
    'stripe_throttled_total',
    'How often Stripe asked for fewer requests, by its reason',
    [{ reason: 'global-rate' }],
  );
  const clock = gauge(
    'stripe_clock_offset_seconds',
    'By how much the clock of this machine is ahead of that of Stripe',
  );
  const unreachable = counter('stripe_unreachable_total', 'How often Stripe did not answer, after all tries');
  return {
    answered({ operation, status, seconds, clockAheadS }) {
      durations.observe({ operation, status }, seconds);
      if (clockAheadS !== undefined) clock.set(clockAheadS);
    },
    throttled: (reason) => throttled.inc({ reason }),
    unreachable: () => unreachable.inc(),
  };
}
