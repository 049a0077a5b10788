import type { Registry } from 'prom-client';
import type { MoneyBack } from '#server/payments/stripe-events.ts';
import { metricsIn } from './metrics.ts';

/** Counts the refunds that this worker made, and those that Stripe refused. */
export function addRefundMetrics(registry: Registry) {
  const refunds = refundCounter(registry, 'made', 'refused');
  return {
    refunded: () => refunds.inc({ outcome: 'made' }),
    refundRefused: () => refunds.inc({ outcome: 'refused' }),
  };
}

/**
 * Counts the refunds that failed at the bank, and disputes, as Stripe reports them to this app. Returns the function to
 * call with each report.
 */
export function addMoneyBackMetrics(registry: Registry): (change: MoneyBack) => void {
  const { counter } = metricsIn(registry);
  const refunds = refundCounter(registry, 'failed');
  const disputes = counter(
    'disputes_total',
    'Disputes of charges that Stripe told of, by event; what it tells twice counts twice',
    ['opened', 'won', 'lost', 'closed'].map((event) => ({ event })),
  );
  return (change) => {
    if (change === 'refund-failed') refunds.inc({ outcome: 'failed' });
    else if (change !== 'refund') disputes.inc({ event: change.slice('dispute-'.length) });
  };
}

function refundCounter(registry: Registry, ...outcomes: readonly string[]) {
  const { counter } = metricsIn(registry);
  return counter(
    'refunds_total',
    'Refunds by outcome: made by the worker, refused by Stripe at each try, failed at the bank later',
    outcomes.map((outcome) => ({ outcome })),
  );
}
