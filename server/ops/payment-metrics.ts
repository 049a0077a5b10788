import { Counter, Histogram, type Registry } from 'prom-client';
import type { CallWatcher } from '#server/payments/payments.ts';

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
  const unreachable = new Counter({
    name: 'stripe_unreachable_total',
    help: 'How often Stripe did not answer, after all tries',
    registers,
  });
  return {
    answered: ({ operation, status, seconds }) => durations.observe({ operation, status }, seconds),
    unreachable: () => unreachable.inc(),
  };
}
